import type { Labels } from '../metrics/samples.ts'

/** The largest number of characters that a filled annotation has; a longer text is cut and ends with an ellipsis. */
export const maxAnnotation = 8192

/** The largest number of characters that a filled label has, which silences compare with their patterns. */
export const maxLabel = 2048

/** The forms of a placeholder: a label of the element, and its value. */
const placeholder = /\{\{[ \t]*(?:\$labels\.([a-zA-Z_][a-zA-Z0-9_]*)|\$value)[ \t]*\}\}/g

/** Returns the fault of a template, with the position of a placeholder that has another form; undefined if it has none. */
export function templateFault(template: string): string | undefined {
  // Valid placeholders become blanks of their length, so that the positions of others stay.
  const position = template.replaceAll(placeholder, found => ' '.repeat(found.length)).indexOf('{{')
  return position < 0
    ? undefined
    : `has at position ${position} a placeholder other than {{ $labels.name }} and {{ $value }}`
}

/**
 * Returns a template with the labels and the value of an element; a label that is absent is an empty text. A filled text
 * is cut after `longest` characters.
 */
export function fillTemplate(template: string, element: Labels, value: string, longest: number): string {
  if (!template.includes('{{')) return template
  const filled = template.replaceAll(placeholder, (_, label: string | undefined) =>
    label === undefined ? value : Object.hasOwn(element, label) ? (element[label] ?? '') : '',
  )
  return filled.length > longest ? `${filled.slice(0, longest)}…` : filled
}
