/** Why a service or command refuses to start: one line with the problem and what to do. Nothing was changed. */
export class Refusal extends Error {}
