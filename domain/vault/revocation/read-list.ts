import { tag } from './der.ts'
import { elements, firstElements, readElement, type Element } from './der-reader.ts'

/** The members of a revocation list that the doctor compares with the rows. */
export interface ReadList {
  readonly number: string
  /** The serial numbers of the entries in hex, in the order of the list. */
  readonly serials: readonly string[]
  /** The signed bytes and their signature. */
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Reads a revocation list that `signedList` has made. Throws `DerFault` for other bytes. */
export function readList(der: Buffer): ReadList {
  const [signed, , signature] = firstElements(readElement(der).content, 3)
  const members = [...elements(signed?.content ?? Buffer.alloc(0))]
  const entries = members.slice(5).find(({ type }) => type === tag.sequence)
  return {
    number: numberOf(members.at(-1)),
    serials: entries ? [...elements(entries.content)].map(serialOf) : [],
    signed: signed?.whole ?? Buffer.alloc(0),
    signature: signature?.content.subarray(1) ?? Buffer.alloc(0),
  }
}

function serialOf({ content }: Element): string {
  const [serial] = firstElements(content, 1)
  return serial ? hexOf(serial.content) : ''
}

/** Returns the decimal digits of the number, which is the second extension. */
function numberOf(extensions: Element | undefined): string {
  const [list] = firstElements(extensions?.content ?? Buffer.alloc(0), 1)
  const [, number] = firstElements(list?.content ?? Buffer.alloc(0), 2)
  const [, wrapped] = firstElements(number?.content ?? Buffer.alloc(0), 2)
  return String(BigInt(`0x${hexOf(readElement(wrapped?.content ?? Buffer.alloc(0)).content)}`))
}

/** Returns the bytes of a positive INTEGER in hex, without the zero byte that makes the number positive. */
const hexOf = (content: Buffer): string =>
  (content[0] === 0 && content.length > 1 ? content.subarray(1) : content).toString('hex')
