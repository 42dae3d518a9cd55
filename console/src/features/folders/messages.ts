import { catalogue, formatCount } from '../../i18n.ts'

export const text = catalogue('folders.text', {
  crumbsHidden: 'More folders',
  emptyName: 'Every folder in the path needs a name: remove the extra slash.',
  folderName: 'Folder name',
  noFolders: 'No folders here',
  moreFolders: (n: number) => `Showing the first ${formatCount(n)} folders.`,
  firstRows: (n: number) => `Showing the first ${formatCount(n)} items.`,
  target: 'Destination folder',
  noName: '(no name)',
  newFolder: 'New folder',
  create: 'Create',
  emptyFolder: 'This folder is empty',
})
