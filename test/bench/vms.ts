import { startServer } from '../postgres/server.ts'
import { printVmLists } from './measuring/vm-lists.ts'
import { printVmLoad } from './measuring/vm-load.ts'
import { printVmPools } from './measuring/vm-pools.ts'
import { printVmRestart } from './measuring/vm-restart.ts'

/**
 * Prints figures of virtual machines on SQLite and on PostgreSQL, each beside its limit: 1,000 machines that 4 clients
 * lead from creation to deletion over HTTP, with reads meanwhile; a restart of a killed server with 1,000 machines;
 * lists of a workspace with 10,000 machines; and creations in zones of one and of 1,000 pools. `npm run bench vms load
 * sqlite` prints a part on a store.
 */
const parts = { load: printVmLoad, restart: printVmRestart, lists: printVmLists, pools: printVmPools }
const [, , , ...asked] = process.argv
const isAsked = (name: string, names: readonly string[]): boolean =>
  asked.includes(name) || !asked.some(each => names.includes(each))

const partNames = Object.keys(parts)
for (const store of ['sqlite', 'postgres']) {
  if (!isAsked(store, ['sqlite', 'postgres'])) continue
  for (const [name, print] of Object.entries(parts)) {
    if (!isAsked(name, partNames)) continue
    const server = store === 'postgres' ? await startServer() : undefined
    try {
      if (!(await print(server?.url))) process.exitCode = 1
    } finally {
      await server?.stop()
    }
  }
}
