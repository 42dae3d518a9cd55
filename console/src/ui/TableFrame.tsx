import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Wraps a table. A table that is too wide scrolls and can then be focused (WCAG 2.1.1). */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  // Before it is drawn: what scrolls can be reached by keys from its first moment on.
  useLayoutEffect(() => {
    const element = frame.current
    if (element) setScrolls(element.scrollWidth > element.clientWidth)
  })
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setScrolls(element.scrollWidth > element.clientWidth)
    const observer = new ResizeObserver(() => flushSync(measure))
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
