/** The bucket of a scan was released meanwhile. */
export class ScanEnded extends Error {}
