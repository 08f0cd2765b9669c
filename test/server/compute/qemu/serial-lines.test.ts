import { describe, expect, it } from 'vitest'
import { SerialLines } from '../../../../server/compute/qemu/serial-lines.ts'

/** Returns the texts of a machine after each of these outputs was added. */
function textsAfter(...outputs: readonly (string | Uint8Array)[]): readonly string[] {
  const lines = new SerialLines()
  outputs.forEach((output, at) => lines.add('vm', typeof output === 'string' ? Buffer.from(output) : output, at))
  return lines.waiting().flatMap(output => output.lines.map(({ text }) => text))
}

const umlaut = Buffer.from('ä\n')

describe('the serial lines of guests', () => {
  it.each<[string, readonly (string | Uint8Array)[], readonly string[]]>([
    ['a line', ['boot\n'], ['boot']],
    ['lines with carriage returns', ['a\r\nb\r\n'], ['a', 'b']],
    ['a line in pieces', ['bo', 'ot', '\n'], ['boot']],
    ['a letter in pieces', [umlaut.subarray(0, 1), umlaut.subarray(1)], ['ä']],
    ['a line without an end', ['login:'], []],
    ['a prompt after which the guest waits', ['login:', ''], ['login:']],
    ['nothing', ['', ''], []],
    ['empty lines', ['\n\r\n\n'], []],
    ['bytes that are no text', [Buffer.from([0xff, 0x41, 0x0a])], ['\ufffdA']],
    [
      'sequences that act on a terminal',
      ['\u001b[1;31mred\u001b[0m\u001b]0;title\u0007\u001b(B\u0000!\n'],
      ['red0;title!'],
    ],
    ['tabs', ['a\tb\n'], ['a\tb']],
    ['a long line', [`${'x'.repeat(5000)}\n`], ['x'.repeat(4096), 'x'.repeat(904)]],
  ])('are whole for %s', (_name, outputs, texts) => {
    expect(textsAfter(...outputs)).toEqual(texts)
  })

  it('are bounded in number and in length, the latest are kept, and none is longer than a limit', () => {
    const many = textsAfter(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(''))
    expect(many).toHaveLength(256)
    expect(many.at(-1)).toBe('999')
    const long = textsAfter(...Array.from({ length: 100 }, () => `${'x'.repeat(4000)}\n`))
    expect(long).toHaveLength(16)
    const endless = textsAfter(...Array.from({ length: 100 }, () => 'x'.repeat(60_000)))
    expect(endless.every(text => text.length <= 4096)).toBe(true)
    expect(endless.join('').length).toBeLessThanOrEqual(65_536)
  })

  it('are repeated until they are forgotten, and then only the later lines stay', () => {
    const lines = new SerialLines()
    lines.add('vm', Buffer.from('a\n'), 1)
    const [first] = lines.waiting()
    if (!first) throw new Error('there are no lines')
    lines.add('vm', Buffer.from('a\n'), 1)
    expect(lines.waiting()).toEqual([{ vm: 'vm', lines: [1, 1].map(at_ms => ({ at_ms, text: 'a' })) }])
    lines.forget(first)
    expect(lines.waiting()).toEqual([{ vm: 'vm', lines: [{ at_ms: 1, text: 'a' }] }])
    lines.drop('vm')
    expect(lines.waiting()).toEqual([])
  })
})
