/** The placeholder that the server replaces with a fresh nonce in each response. */
export const NONCE = '__STRONGROOM_NONCE__'
