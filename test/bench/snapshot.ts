import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateCollection } from '../../domain/vault/certificates/certificates-store.ts'
import { liveCollection } from '../../domain/vault/certificates/live-certificates.ts'
import { agenda } from '../../domain/vault/work/agenda.ts'
import { Ninefold } from '../../output/client.ts'
import { areas } from '../../server/areas.ts'
import { createClock } from '../../server/clock.ts'
import { openStore } from '../../server/platform-store.ts'
import { openIam } from '../../server/iam/open.ts'
import { addTenant, signingIn } from '../areas/members.ts'
import { openPlatform } from '../areas/open-platform.ts'
import { certificateCalls } from '../domain/vault/certificates/tenant-certificates.ts'
import { restoreInto, takenSnapshot } from '../domain/vault/snapshots/taken.ts'
import { administrator, administratorFile } from '../server/access/sign-in.ts'
import { watchedTurns, type WatchedTurns } from './measuring/turns.ts'

/**
 * This program prints how long a snapshot of a vault with 50,000 certificates holds the event loop of a server with
 * SQLite at most, while a client reads a certificate again and again; the limit is 20 ms. It also prints the time of the
 * restore, which runs without a server. `NINEFOLD_BENCH_SNAPSHOT` sets the number of certificates.
 */

const count = Number(process.env['NINEFOLD_BENCH_SNAPSHOT'] ?? 50_000)
const limitMs = 20
const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-snapshot-'))
const place = { dataDir }

/** Runs `use` with the client of the administrator of a platform over the place. */
async function whileServed<R>(use: (api: Ninefold) => Promise<R>): Promise<R> {
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  const platform = await openPlatform({ config: { ...place, bootstrap }, areas, openAccess: openIam })
  try {
    const as = (token?: string): Ninefold => new Ninefold(platform.transport(token))
    return await use((await signingIn(as)(administrator.email, administrator.password)).api)
  } finally {
    await platform.close()
  }
}

/** Copies a certificate until an authority has `count` of them, each with its due work. */
async function fill(certificate: string): Promise<void> {
  const clock = createClock()
  const store = await openStore(place, areas)
  for (let from = 1; from < count; from += 1000)
    await store.tx(async tx => {
      const first = await tx.get(certificateCollection, certificate)
      const due = await tx.get(agenda, `certificates.end/${certificate}`)
      if (!first || !due) throw new Error('the certificate is absent')
      for (let number = from; number < Math.min(from + 1000, count); number += 1) {
        const id = clock.newId()
        const serial_number = `41${number.toString(16).padStart(30, '0')}`
        await tx.insert(certificateCollection, { ...first.value, id, name: `certificate-${id}`, serial_number })
        await tx.insert(agenda, { ...due.value, id: `certificates.end/${id}`, resource_id: id })
      }
      for await (const { id, version } of tx.each(liveCollection)) await tx.delete(liveCollection, id, version)
    })
  await store.close()
}

function print(what: string, { longest, longestCpu, took }: WatchedTurns): void {
  const figures = [took, longest, longestCpu].map(figure => `${figure.toFixed(1)} ms`.padStart(14)).join('')
  console.log(`  ${what.padEnd(32)}${figures}`)
}

try {
  const { at, authority, id } = await whileServed(async api => {
    const { workspace } = await addTenant(api, 'acme')
    const at = { workspace, engine: 'native' }
    const { issue, root } = certificateCalls({ admin: { api }, at, workspace })
    const authority = await root('root')
    const config = { subject: { common_name: 'www.acme.example' } }
    return { at, authority, id: await issue(authority, { config, private_key_secret_name: 'key' }) }
  })
  await fill(id)
  console.log(`\na snapshot of ${count} certificates, SQLite (limit ${limitMs} ms of CPU time)`)
  console.log(
    `  ${' '.repeat(32)}${['in all', 'longest turn', 'its CPU time'].map(head => head.padStart(14)).join('')}`,
  )
  const { file, idle, taking } = await whileServed(async api => {
    const reads = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) await api.vault.getCertificate({ ...at, certificate_authority: authority, id })
    }
    const until = performance.now() + 3000
    const idle = await watchedTurns(() => reads(() => performance.now() > until))
    let taken: string | undefined
    const taking = await watchedTurns(async () => {
      const taker = takenSnapshot(api, place).then(file => void (taken = file))
      await reads(() => taken !== undefined)
      await taker
    })
    return { file: taken ?? '', idle, taking }
  })
  print('reads alone', idle)
  print('reads and a snapshot', taking)
  const restoring = await watchedTurns(() => restoreInto(place, file, { isReplacing: true }))
  print('restored, without a server', restoring)
  const memory = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(`  ${(statSync(file).size / 1_048_576).toFixed(1)} MiB of file, ${memory} MiB of memory at most`)
  if (taking.longestCpu > Math.max(limitMs, idle.longestCpu)) process.exitCode = 1
} finally {
  rmSync(dataDir, { recursive: true })
}
