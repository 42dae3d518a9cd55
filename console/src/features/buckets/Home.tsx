import { Navigate } from '@tanstack/react-router'

/** The start page is the list of buckets. */
export default function Home() {
  return <Navigate to="/buckets" replace />
}
