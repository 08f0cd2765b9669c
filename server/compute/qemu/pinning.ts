import { readFileSync } from 'node:fs'
import type { GuestNode } from '../../../domain/compute/drivers/driver.ts'
import type { Guest } from './guest.ts'
import { runProgram } from './programs.ts'

/** A virtual processor: the number of its thread on the host, and its number in the guest. */
interface Processor {
  readonly thread: number
  readonly index: number
}

/**
 * Returns the list of host processors for each thread of a guest whose node is pinned: `processorsOf` returns the
 * processors of a host node, as `0-3,8`, or undefined for an absent node.
 */
export function pins(
  nodes: readonly GuestNode[],
  processors: readonly Processor[],
  processorsOf: (hostNode: number) => string | undefined,
): readonly { readonly thread: number; readonly list: string }[] {
  const lists = nodes.flatMap(({ host_node, vcpus }) => {
    const list = host_node === undefined ? undefined : processorsOf(host_node)
    return Array.from({ length: vcpus }, () => list)
  })
  return processors.flatMap(({ index, thread }) => {
    const list = lists[index]
    return list === undefined ? [] : [{ thread, list }]
  })
}

/** Lets the threads of a guest run only on the processors of the host nodes to which the guest's nodes are pinned. */
export async function pinProcessors(guest: Guest, nodes: readonly GuestNode[], folder: string): Promise<void> {
  const answer = await guest.execute('query-cpus-fast')
  const processors = Array.isArray(answer) ? answer.flatMap(processorOf) : []
  for (const { list, thread } of pins(nodes, processors, hostProcessors))
    await runProgram('taskset', ['-p', '-c', list, String(thread)], { folder, timeoutMs: 10_000 })
}

function processorOf(value: unknown): readonly Processor[] {
  if (typeof value !== 'object' || value === null) return []
  const index: unknown = Reflect.get(value, 'cpu-index')
  const thread: unknown = Reflect.get(value, 'thread-id')
  return typeof index === 'number' && typeof thread === 'number' ? [{ index, thread }] : []
}

function hostProcessors(node: number): string | undefined {
  try {
    const list = readFileSync(`/sys/devices/system/node/node${node}/cpulist`, 'utf8').trim()
    return /^[\d,-]+$/.test(list) ? list : undefined
  } catch {
    return undefined
  }
}
