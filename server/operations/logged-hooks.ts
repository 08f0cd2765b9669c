import type { WorkspaceHooks } from '../../domain/ports/taxonomy.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Log } from '../log.ts'

/**
 * The hooks of an area, with what those throw that durable work calls in the log: operations tell callers only where
 * something failed that was not meant for them.
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
