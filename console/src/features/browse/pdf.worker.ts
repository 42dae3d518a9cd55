// The thread in which PDF.js reads a document. Its policy lets it ask nobody for anything (fronts/api/console.ts).
import './pdf-memory.ts'
import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'
