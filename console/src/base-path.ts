/** Where the console is: the path before that of each view. */
export const BASE_PATH = '/console'
