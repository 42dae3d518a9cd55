import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { text } from './ui/messages.ts'

/** The accent. Shade 7 carries white text at 6.05:1 in both schemes. */
const teal: MantineColorsTuple = [
  '#e3f4f2',
  '#c9e9e6',
  '#9fd8d3',
  '#74cac4',
  '#4cbab3',
  '#2a9d97',
  '#168383',
  '#0b6e6e',
  '#095a5a',
  '#064646',
]
const danger: MantineColorsTuple = [
  '#fdeceb',
  '#fbd6d3',
  '#f6b0aa',
  '#ee877e',
  '#e25f54',
  '#d2402f',
  '#c23022',
  '#b42318',
  '#931c13',
  '#73150e',
]
/** From text to background, as in Mantine's dark scheme. */
const dark: MantineColorsTuple = [
  '#d8dee5',
  '#a3acb9',
  '#98a1ad',
  '#75818d',
  '#2b333b',
  '#242b33',
  '#1f262d',
  '#161b20',
  '#101418',
  '#0b0e11',
]

export const createOurTheme = () =>
  createTheme({
    colors: { teal, danger, dark },
    primaryColor: 'teal',
    primaryShade: { light: 7, dark: 7 },
    black: '#16191d',
    defaultRadius: 4,
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    fontSizes: { xs: '11px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    lineHeights: { xs: '1.4', sm: '1.45', md: '1.45', lg: '1.4', xl: '1.3' },
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    headings: {
      fontWeight: '650',
      sizes: { h1: { fontSize: '20px', lineHeight: '1.3' }, h2: { fontSize: '16px', lineHeight: '1.35' } },
    },
    respectReducedMotion: true,
    cursorType: 'pointer',
    components: {
      Anchor: { defaultProps: { inherit: true } },
      Button: { defaultProps: { size: 'compact-md' } },
      ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 30 } },
      TextInput: { defaultProps: { size: 'sm' } },
      PasswordInput: {
        defaultProps: { size: 'sm', visibilityToggleButtonProps: { 'aria-label': text.showPassword, tabIndex: 0 } },
      },
      NumberInput: { defaultProps: { size: 'sm' } },
      Select: { defaultProps: { size: 'sm', allowDeselect: false, withScrollArea: false } },
      MultiSelect: { defaultProps: { withScrollArea: false } },
      TagsInput: { defaultProps: { withScrollArea: false } },
      Autocomplete: { defaultProps: { withScrollArea: false } },
      Textarea: { defaultProps: { size: 'sm' } },
      Checkbox: { defaultProps: { size: 'sm' } },
      Modal: {
        defaultProps: {
          radius: 10,
          centered: true,
          closeButtonProps: { 'aria-label': text.close },
          transitionProps: { duration: 120 },
        },
      },
      Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
      Drawer: { defaultProps: { position: 'right', closeButtonProps: { 'aria-label': text.close } } },
      Alert: { defaultProps: { variant: 'default' } },
      Tooltip: { defaultProps: { openDelay: 400 } },
      Table: { defaultProps: { verticalSpacing: 7, horizontalSpacing: 12 } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': text.close } } },
    },
  })

/** The design tokens (tokens.css), where Mantine's own are too faint. */
export const resolver: CSSVariablesResolver = () => {
  const tokens = {
    '--mantine-color-body': 'var(--surface-1)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--dim)',
    '--mantine-color-placeholder': 'var(--placeholder)',
    '--mantine-color-anchor': 'var(--accent-text)',
    '--mantine-color-default-border': 'var(--border)',
    '--mantine-color-error': 'var(--error)',
  }
  return { variables: {}, light: tokens, dark: tokens }
}
