import { describe, expect, it } from 'vitest'
import { derivedId } from '../../../domain/resources/derived-id.ts'

const owners = ['01a2210c-c3ad-71cd-b4c5-a4a681bcdff3', '00000000-0000-7000-8000-000000000003']
const names = ['', 'a', 'b', 'a/b', 'ä'.repeat(1000)]

describe('a derived id', () => {
  it.each(owners)('is a UUIDv7 with the time of %s, the same at each call', owner => {
    for (const name of names) {
      const id = derivedId(name, owner)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(id.slice(0, 13)).toBe(owner.slice(0, 13))
      expect(derivedId(name, owner)).toBe(id)
      expect(owners).not.toContain(id)
    }
  })

  it('differs for each name and each owner', () => {
    const others = [...owners, '01a2210c-c3ad-71cd-b4c5-a4a681bcdff4']
    const ids = others.flatMap(owner => names.map(name => derivedId(name, owner)))
    expect(new Set(ids).size).toBe(ids.length)
  })
})
