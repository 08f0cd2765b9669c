import { statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import type { GenerateOptions, RuntimeNaming } from '../options.ts'
import { quoted } from '../write/quoted.ts'
import type { Invocation } from './invocation.ts'
import { runtimeSources } from '../own-package.ts'
import { UsageError } from './usage-error.ts'

const packagedRuntime = 'ninefold/runtime'

/**
 * Converts a command line to the options of `generate`. Reads the runtime's files if the run copies the runtime. Throws
 * `UsageError` if `--runtime` names no folder of the runtime.
 */
export function generateOptions(invocation: Invocation): GenerateOptions {
  const runtime = runtimeNaming(invocation)
  return {
    runtime,
    importEnding: invocation.importEnding,
    answerChecks: invocation.answerChecks,
    ...intsOf(invocation),
    flat: invocation.documents.length === 1,
    ...(invocation.client !== undefined && { client: invocation.client }),
    runtimeFiles: runtime.kind === 'copy' ? runtimeSources() : new Map(),
  }
}

function intsOf({ int64 }: Invocation): Pick<GenerateOptions, 'int64' | 'int64AsNumber'> {
  if (int64 === undefined) return {}
  return int64 === 'number' ? { int64AsNumber: true } : { int64 }
}

function runtimeNaming({ runtime, out }: Invocation): RuntimeNaming {
  if (runtime === 'copy') return { kind: 'copy' }
  if (runtime === 'package') return { kind: 'package', name: packagedRuntime }
  if (statSync(join(runtime, 'errors.ts'), { throwIfNoEntry: false })?.isFile()) {
    return { kind: 'folder', path: relative(resolve(out), resolve(runtime)).split(sep).join('/') }
  }
  throw new UsageError(`--runtime ${quoted(runtime)} is no folder of the runtime: say copy, package or such a folder`)
}
