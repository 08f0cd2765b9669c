import { dispatchGroup, hostRows } from './measuring/calls.ts'
import { filterGroups, routerGroup, tokenGroup, validatorGroup } from './measuring/in-process.ts'
import { measure } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/** This program prints the CPU times of the parts of every call, each compared with its contender. */

for (const { title, contenders } of [
  routerGroup(),
  ...filterGroups(),
  tokenGroup(),
  validatorGroup(),
  dispatchGroup(),
]) {
  const times = await measure(contenders)
  printGroup(
    title,
    contenders.map(({ name }, index) => [name, times[index] ?? Number.NaN]),
  )
}
printGroup('a call over loopback, CPU of the server thread', await hostRows())
