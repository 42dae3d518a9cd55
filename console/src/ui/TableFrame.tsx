import { type ReactNode, useEffect, useRef, useState } from 'react'

/** Wraps a table. A table that is too wide scrolls and can then be focused (WCAG 2.1.1). */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      className="table-frame"
      {...(scrolls && { role: 'group', tabIndex: 0, 'aria-label': label, 'data-scrolls': true })}
    >
      {children}
    </div>
  )
}
