/**
 * Why a service or a command does not begin, in one line that says what is wrong and what to do about it. Whoever throws
 * it has changed nothing.
 */
export class Refusal extends Error {}
