import { expect, it } from 'vitest'
import { StatementTexts, type TextPart } from '../../../server/store/statement-texts.ts'

/** Returns a function that requests a statement text, and a function that returns the number of texts made. */
function counted() {
  const texts = new StatementTexts()
  let made = 0
  const text = (parts: readonly TextPart[], length = 1): string =>
    texts.of(parts, () => {
      made += 1
      return JSON.stringify(parts).padEnd(length)
    })
  return { text, made: () => made }
}

it('a text is made once of its parts, and never confused with the text of other parts', () => {
  const { made, text } = counted()
  const parts: readonly (readonly TextPart[])[] = [[], [1], ['1'], [1, 'a'], [1, 'a', true], [1, 'a', false], ['a', 1]]
  for (const _ of [1, 2]) for (const each of parts) expect(text([...each])).toBe(JSON.stringify(each))
  expect(made()).toBe(parts.length)
})

it('texts that are requested again stay cached, others only in a limited number, and long texts never', () => {
  const { made, text } = counted()
  text(['often'])
  for (let i = 0; i < 1000; i += 1) {
    text(['rare', i])
    text(['often'])
  }
  expect(made()).toBe(1001)
  text(['rare', 999])
  expect(made()).toBe(1001)
  text(['rare', 0])
  expect(made()).toBe(1002)
  for (const _ of [1, 2]) text(['long'], 5000)
  expect(made()).toBe(1004)
})
