import { setImmediate as turn } from 'node:timers/promises'
import type { Holding, NodeState, WorkspaceHooks } from '../../../domain/ports/taxonomy.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import { handwritten } from '../../server/sample-area.ts'
import type { DepotControl } from './depot.ts'

/** A call of a hook that has begun. */
export interface HookCall {
  readonly area: string
  readonly workspace: string
  /** The requested state; undefined for a purge. */
  readonly state: NodeState | undefined
}

type Reconcile = (state: NodeState, attempt: number) => Promise<boolean> | boolean
type Purge = (attempt: number) => Promise<void> | void

/** Runs a script in the hooks of each workspace, and records the calls and the overlaps of hooks in one workspace. */
export class Script {
  readonly calls: HookCall[] = []
  /** The calls that began while another hook ran in the same workspace; empty for a correct platform. */
  readonly overlaps: HookCall[] = []
  /** Returns the scripted holdings of areas; by default there are none. */
  holdings: (() => Promise<readonly Holding[]>) | undefined
  readonly #reconciles = new Map<string, (state: NodeState) => Promise<boolean> | boolean>()
  readonly #purges = new Map<string, () => Promise<void> | void>()
  readonly #inside = new Set<string>()

  /**
   * Sets the script of a workspace from now on; `attempt` counts the calls from 1. Without a script, a workspace
   * reaches its new state immediately.
   */
  reconcile(workspace: string, run: Reconcile): void {
    let attempt = 0
    this.#reconciles.set(workspace, state => run(state, (attempt += 1)))
  }

  purge(workspace: string, run: Purge): void {
    let attempt = 0
    this.#purges.set(workspace, () => run((attempt += 1)))
  }

  /** Returns the requested states of a workspace in order; equal consecutive states count once. */
  told(workspace: string): readonly NodeState[] {
    const states = this.callsIn(workspace).flatMap(({ state }) => state ?? [])
    return states.filter((state, i) => state !== states[i - 1])
  }

  callsIn(workspace: string): readonly HookCall[] {
    return this.calls.filter(call => call.workspace === workspace)
  }

  /** The number of workspaces in which a hook is running. */
  get inside(): number {
    return this.#inside.size
  }

  get control(): DepotControl {
    return {
      reconcile: (workspace, state) =>
        this.#call(
          { area: 'depot', workspace, state },
          async () => (await this.#reconciles.get(workspace)?.(state)) ?? true,
        ),
      purge: workspace =>
        this.#call({ area: 'depot', workspace, state: undefined }, async () => this.#purges.get(workspace)?.()),
    }
  }

  /**
   * Makes an area with the scripted holdings, whose calls of hooks are recorded and run `hooks`; a missing hook does
   * nothing.
   */
  area(name: string, base: number, hooks: Partial<WorkspaceHooks> = {}): AreaModule {
    return area({
      generated: handwritten({ name, base }),
      handlers: () => [],
      hooks: () => ({
        area: name,
        reconcileWorkspace: async (workspace, state) =>
          this.#call(
            { area: name, workspace, state },
            async () => (await hooks.reconcileWorkspace?.(workspace, state)) ?? true,
          ),
        holdings: async () => (await this.holdings?.()) ?? [],
        purgeWorkspace: workspace =>
          this.#call({ area: name, workspace, state: undefined }, async () => hooks.purgeWorkspace?.(workspace)),
      }),
    })
  }

  async #call<R>(call: HookCall, run: () => Promise<R>): Promise<R> {
    this.calls.push(call)
    if (this.#inside.has(call.workspace)) this.overlaps.push(call)
    this.#inside.add(call.workspace)
    try {
      await turn()
      return await run()
    } finally {
      this.#inside.delete(call.workspace)
    }
  }
}

/** A gate that keeps hooks waiting until a test opens the gate. */
export interface Gate {
  readonly passed: Promise<void>
  isOpen(): boolean
  open(): void
}

export function gate(): Gate {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  let isOpen = false
  return {
    passed,
    isOpen: () => isOpen,
    open() {
      isOpen = true
      resolve()
    },
  }
}
