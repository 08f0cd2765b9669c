import fc from 'fast-check'
import { type Position, positions } from './document.ts'

/** The positions whose text must have a form; an arbitrary text at these positions may be an error. */
export const formed: readonly Position[] = [
  'operationId',
  'pathPart',
  'pathParameter',
  'propertyName',
  'pattern',
  'keyPattern',
  'filterField',
]

/** The positions that accept any text. */
export const free = positions.filter(position => !formed.includes(position))

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        '*/',
        '/*',
        '//',
        "'",
        '"',
        '`',
        '\\',
        '${',
        '}',
        '\n',
        '\r',
        '\u2028',
        '@',
        ' ',
        '{{',
        '</',
        'a',
        '\u0001',
      ),
      {
        maxLength: 12,
      },
    )
    .map(parts => parts.join('')),
)
/** Generates documents with any text at each position that accepts any text. */
export const anyDocuments = fc.record(Object.fromEntries(free.map(position => [position, text])))
