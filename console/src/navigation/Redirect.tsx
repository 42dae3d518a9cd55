import { Redirect as WouterRedirect } from 'wouter'
import { type Search, writeSearch } from './history.ts'

/** Opens another view instead of this one. */
export const Redirect = ({ to, search = {} }: { to: string; search?: Search }) => (
  <WouterRedirect to={to + writeSearch(search)} replace />
)
