import { Navigate } from '@tanstack/react-router'

/** The console begins with the buckets. */
export default function Home() {
  return <Navigate to="/buckets" replace />
}
