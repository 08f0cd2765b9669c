import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Ninefold } from '../../output/client.ts'
import { createTransport } from '../../runtime/transport.ts'
import { administrator, signIn } from '../server/access/sign-in.ts'
import { median } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints times over HTTP: of failed sign-ins for a known and for an unknown address, alternately; then the
 * p99 of authenticated reads, alone and while 100 users sign in repeatedly. Other work of the machine affects all
 * figures except the CPU time.
 */

const attempts = 30
const people = 100
const reads = 3000
const rounds = 3
const password = 'quiet-harbour-lantern'
const address = (n: number): string => `person-${n}@acme.example`

const folder = mkdtempSync(join(tmpdir(), 'ninefold-login-'))
const worker = new Worker(new URL('./measuring/login-worker.ts', import.meta.url), {
  workerData: folder,
  // Without `stderr`, this thread would write the lines of the worker's log.
  stderr: true,
})
worker.stderr.resume()
const agent = new Agent({ keepAlive: true })
try {
  const [url]: string[] = await once(worker, 'message')
  const baseUrl = url ?? ''
  const token = await signIn(baseUrl)
  await makePeople(baseUrl, token)
  await printAttempts(baseUrl)
  await printReads(baseUrl, token)
} finally {
  agent.destroy()
  const ended = once(worker, 'exit')
  worker.postMessage('end')
  await ended
  rmSync(folder, { recursive: true })
}

async function makePeople(baseUrl: string, token: string): Promise<void> {
  const admin = new Ninefold(createTransport({ baseUrl, token }))
  for (let n = 0; n < people; n += 1) {
    const { credential } = await admin.iam.inviteUser({ body: { email: address(n), delivery: 'RETURN' } })
    await admin.iam.activateUser({ body: { token: credential?.token ?? '', password } })
  }
}

async function printAttempts(baseUrl: string): Promise<void> {
  const emails = [administrator.email, 'nobody@acme.example']
  const walls = emails.map((): number[] => [])
  const cpus = emails.map((): number[] => [])
  // The first six attempts warm up. The known and the unknown address alternate in the first place.
  for (let i = -6; i < attempts; i += 1) {
    for (const which of i % 2 === 0 ? [0, 1] : [1, 0]) {
      const [before, began] = [process.cpuUsage(), performance.now()]
      const status = await authenticate(baseUrl, emails[which] ?? '', `a wrong sentence ${i}`)
      if (status !== 401) throw new Error(`a wrong password was answered ${status}`)
      const { system, user } = process.cpuUsage(before)
      if (i < 0) continue
      walls[which]?.push((performance.now() - began) * 1e6)
      cpus[which]?.push((system + user) * 1e3)
    }
  }
  printAttemptTimes('the wall time of a failed attempt', walls.map(median))
  printAttemptTimes('the CPU time of a failed attempt and its caller', cpus.map(median))
}

function printAttemptTimes(what: string, [known = 0, unknown = 0]: readonly number[]): void {
  printGroup(`${what}, the median of ${attempts}`, [
    ['a known address', known],
    ['an unknown address', unknown],
  ])
  console.log(`  they differ by ${(Math.abs(known - unknown) / 1e6).toFixed(2)} ms; 5 ms are borne`)
}

/**
 * Prints the p99 of reads alone and of reads during sign-ins. The two alternate, so that other work of the machine
 * affects both.
 */
async function printReads(baseUrl: string, token: string): Promise<void> {
  await readTimes(baseUrl, token)
  const alone: number[] = []
  const beside: number[] = []
  let signedIn = 0
  for (let round = 0; round < rounds; round += 1) {
    alone.push(p99(await readTimes(baseUrl, token)))
    const reading = new AbortController()
    const signing = Array.from({ length: people }, async (_, n) => {
      while (!reading.signal.aborted) {
        const status = await authenticate(baseUrl, address(n), password)
        if (status === 200) signedIn += 1
        // The server refuses a sign-in if too many are waiting; the caller retries after a second, as the response
        // says.
        else await sleep(1000)
      }
    })
    beside.push(p99(await readTimes(baseUrl, token)))
    reading.abort()
    await Promise.all(signing)
  }
  printGroup(`getMyProfile, the p99 of ${reads}; the median of ${rounds} rounds`, [
    ['alone', median(alone)],
    [`while ${people} sign in (${signedIn} have)`, median(beside)],
  ])
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

/** Returns the times of sequential reads in nanoseconds. */
async function readTimes(baseUrl: string, token: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let i = 0; i < reads; i += 1) {
    const began = performance.now()
    const status = await call('GET', `${baseUrl}/iam/v1/users/me`, { authorization: `Bearer ${token}` })
    if (status !== 200) throw new Error(`a read was answered ${status}`)
    times.push((performance.now() - began) * 1e6)
  }
  return times
}

function authenticate(baseUrl: string, email: string, words: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return call('POST', `${baseUrl}/iam/v1/users:authenticate`, headers, JSON.stringify({ email, password: words }))
}

/** Sends a request; resolves with the status after the end of the response. */
function call(method: string, url: string, headers: Record<string, string>, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
      .on('error', reject)
      .end(body)
  })
}
