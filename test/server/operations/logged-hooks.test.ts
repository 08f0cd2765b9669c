import { describe, expect, it } from 'vitest'
import type { WorkspaceHooks } from '../../../domain/ports/taxonomy.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { loggedHooks } from '../../../server/operations/logged-hooks.ts'
import { logLines } from './work-bench.ts'

const failures = [
  ['warn', new ApiError({ reason: 'BROKEN', rpc: 'UNAVAILABLE' }, 'the hall is locked')],
  ['error', new TypeError('a defect')],
] as const

describe('hooks of an area', () => {
  it.each(failures)('that fail are logged (%s), and still fail', async (level, error) => {
    const log = logLines()
    const fail = async (): Promise<never> => {
      throw error
    }
    const hooks = loggedHooks({ area: 'depot', reconcileWorkspace: fail, purgeWorkspace: fail }, log)
    await expect(hooks.reconcileWorkspace?.('w', 'ACTIVE')).rejects.toBe(error)
    await expect(hooks.purgeWorkspace?.('w')).rejects.toBe(error)
    const line = { level, message: 'a hook of an area failed' }
    expect(log.lines).toEqual(
      ['reconcileWorkspace', 'purgeWorkspace'].map(hook => ({
        ...line,
        fields: { err: error, area: 'depot', hook, workspace: 'w' },
      })),
    )
  })

  it('that succeed, or are missing, are unchanged', async () => {
    const log = logLines()
    const calls: unknown[] = []
    const holdings = async () => []
    const some: WorkspaceHooks = {
      area: 'depot',
      holdings,
      async reconcileWorkspace(...call) {
        calls.push(call)
        return false
      },
    }
    const hooks = loggedHooks(some, log)
    expect(hooks).toMatchObject({ area: 'depot', holdings })
    expect(await hooks.reconcileWorkspace?.('w', 'SUSPENDED')).toBe(false)
    expect(calls).toEqual([['w', 'SUSPENDED']])
    await hooks.purgeWorkspace?.('w')
    expect(await loggedHooks({ area: 'depot' }, log).reconcileWorkspace?.('w', 'ACTIVE')).toBe(true)
    expect(log.lines).toEqual([])
  })
})
