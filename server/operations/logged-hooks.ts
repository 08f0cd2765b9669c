import type { WorkspaceHooks } from '../../domain/ports/taxonomy.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Log } from '../log.ts'

/**
 * Wraps the hooks of an area so that their errors are logged. Durable work calls the hooks, and the records of its
 * operations only refer to the log.
 */
export function loggedHooks(hooks: WorkspaceHooks, log: Log): WorkspaceHooks {
  const { area } = hooks
  const told = async <R>(hook: string, workspace: string, call: () => Promise<R>): Promise<R> => {
    try {
      return await call()
    } catch (error) {
      const fields = { err: error, area, hook, workspace }
      if (error instanceof ApiError) log.warn(fields, 'a hook of an area failed')
      else log.error(fields, 'a hook of an area failed')
      throw error
    }
  }
  return {
    ...hooks,
    async reconcileWorkspace(workspace, state) {
      return told('reconcileWorkspace', workspace, async () => {
        return (await hooks.reconcileWorkspace?.(workspace, state)) ?? true
      })
    },
    async purgeWorkspace(workspace) {
      await told('purgeWorkspace', workspace, async () => hooks.purgeWorkspace?.(workspace))
    },
  }
}
