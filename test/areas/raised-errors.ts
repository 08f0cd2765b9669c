import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isRecord } from '../../runtime/validation.ts'
import { lackOf } from '../error-families.ts'
import { readTable } from '../specs/tables.ts'

/** The reasons of the errors of an area. */
export interface RaisedErrors {
  /** The calls that are refused, keyed by the reason of the refusal. */
  readonly raised: Readonly<Record<string, () => Promise<unknown>>>
  /** The reasons that another file raises against the served platform, with the path of the file in the tree. */
  readonly elsewhere: Readonly<Record<string, string>>
  /** The reasons that no call of the area can raise, with the cause. */
  readonly unraised: Readonly<Record<string, string>>
}

/** The last answer that was no success. */
export class Refusal {
  /** The body of the answer, a google.rpc.Status; undefined before the first refusal of a test. */
  status: unknown

  /** Returns a `fetch` that keeps the body of each refusal. */
  kept(send: typeof fetch): typeof fetch {
    return async (input, init) => {
      const answer = await send(input, init)
      if (!answer.ok) this.status = await answer.clone().json()
      return answer
    }
  }
}

/**
 * Declares the tests of the errors of an area: each call is refused with its reason, its code of the table of errors and
 * its details, and all reasons of the table are accounted for.
 */
export function testErrors(area: string, refusal: Refusal, { elsewhere, raised, unraised }: RaisedErrors): void {
  const table = readTable('errors', ['area', 'reason', 'code']).filter(row => row.area === area)

  it.each(Object.entries(raised))('%s is raised with its code and its details', async (reason, call) => {
    refusal.status = undefined
    await call().catch(() => {})
    const { status } = refusal
    expect(lackOf(status)).toBeUndefined()
    const [info] = isRecord(status) && Array.isArray(status.details) ? status.details.filter(isRecord) : []
    const code = table.find(row => row.reason === reason)?.code
    expect(info).toMatchObject({ reason, domain: area, metadata: { code } })
  })

  it('are all raised here or in another file, or cannot be raised for a stated cause', () => {
    const known = [raised, elsewhere, unraised].flatMap(each => Object.keys(each))
    expect(known.toSorted()).toEqual(table.map(({ reason }) => reason).toSorted())
    const root = join(import.meta.dirname, '../..')
    const wrong = Object.entries(elsewhere).filter(
      ([reason, file]) => !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(reason),
    )
    expect(wrong).toEqual([])
  })
}
