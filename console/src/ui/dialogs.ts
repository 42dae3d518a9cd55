/** A dialog that everything else waits for. */
export const DIALOG = '[role=dialog][aria-modal=true]'
/** Its ×. */
export const CLOSE = '.mantine-Modal-close, .mantine-Drawer-close'

/** The dialogs on the page, the upper one last. */
export const openedDialogs = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(DIALOG)]
