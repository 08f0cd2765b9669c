import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ninefold } from '../../../output/client.ts'
import { startServer, type Served } from '../../e2e/served.ts'
import { administrator } from '../../server/access/sign-in.ts'
import { testFolder, type Later } from '../../server/store/harness.ts'
import { addTenant } from '../../areas/members.ts'
import { commandFor, ninefold, type Ended } from '../command.ts'

/** A served platform with a workspace `acme/web` and a bucket `docs`, and a person who has signed in. */
export interface ServedBucket {
  readonly server: Served
  readonly api: Ninefold
  readonly at: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  /** The folder in which the commands run. */
  readonly folder: string
  /** Runs `ninefold storage` in the folder. */
  run(...words: readonly string[]): Promise<Ended>
  /** Runs `ninefold storage`, and kills the process after some milliseconds; returns whether it was killed. */
  killed(ms: number, ...words: readonly string[]): Promise<boolean>
}

/** Starts the platform; `later` ends it. */
export async function servedBucket(later: Later): Promise<ServedBucket> {
  const root = testFolder(later)
  const [data, folder] = [join(root, 'data'), join(root, 'person')]
  for (const each of [data, folder]) mkdirSync(each)
  const server = await startServer(data)
  later(() => server.end('SIGKILL').then(() => undefined))
  const api = new Ninefold(server.transport)
  const { workspace } = await addTenant(api, 'acme')
  const made = await api.storage.createBucket({ workspace, engine: 'native', body: { name: 'docs' } })
  await ninefold(folder, ['login', '--url', server.url, '--email', administrator.email], `${administrator.password}\n`)
  const wordsOf = (words: readonly string[]): string[] => {
    const [command = '', ...others] = words
    return ['storage', command, '--workspace', workspace, ...others]
  }
  return {
    server,
    api,
    at: { workspace, engine: 'native', bucket: made.resource_id },
    folder,
    run: (...words) => ninefold(folder, wordsOf(words)),
    async killed(ms, ...words) {
      const { file, options, words: all } = commandFor(folder, wordsOf(words))
      const child = spawn(file, all, { ...options, stdio: 'ignore' })
      const timer = setTimeout(() => child.kill('SIGKILL'), ms)
      const signal = await new Promise(resolve => child.on('close', (_, ended) => resolve(ended)))
      clearTimeout(timer)
      return signal !== null
    },
  }
}
