import { randomInt } from 'node:crypto'
import type { WireRequest } from '../../runtime/wire.ts'
import { median } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { vaultPlatform } from './measuring/vault-platform.ts'

/**
 * This program prints the median times of refused calls of the vault, whose causes a caller must not learn from the
 * time: the ratios of a group are 1 up to noise. The first case of each group is measured twice, which shows the noise.
 * The calls of all cases of a group are made in random order.
 */

/** The calls of a case; cases with a passphrase derive a key by argon2id, and make a quarter of these calls. */
const calls = Number(process.env['NINEFOLD_BENCH_TIMING'] ?? 1000)

/** A case: makes the requests of one cause. */
interface Case {
  readonly name: string
  readonly next: () => WireRequest
}

const platform = await vaultPlatform()
try {
  const { answer, api, at, create, keys, request } = platform

  /** Prints the medians of a group of cases; the calls answer `status`. */
  async function compare(title: string, status: number, count: number, cases: readonly Case[]): Promise<void> {
    const [first] = cases
    const all = first ? [first, { ...first, name: `${first.name}, again` }, ...cases.slice(1)] : []
    const order = shuffled(all.flatMap((_, i) => Array.from({ length: count }, () => i)))
    const times = all.map((): number[] => [])
    const warmUp = order.slice(0, Math.min(200, count))
    for (const [turn, i] of [...warmUp, ...order].entries()) {
      const sent = all[i]?.next()
      if (!sent) continue
      const start = performance.now()
      await answer(sent, status)
      if (turn >= warmUp.length) times[i]?.push((performance.now() - start) * 1e6)
    }
    printGroup(
      `${title}, medians of ${count} calls`,
      all.map(({ name }, i) => [name, median(times[i] ?? [])] as const),
    )
  }

  const key = await create('cipher', 'ENCRYPT_DECRYPT')
  const plaintext = Buffer.alloc(1024, 7).toString('base64')
  const data = Buffer.from('additional').toString('base64')
  const { ciphertext } = await api.vault.encrypt({
    ...at,
    id: key,
    body: { plaintext, additional_authenticated_data: data },
  })
  const bytes = Buffer.from(ciphertext.slice('vault:v1:'.length), 'base64')
  const decrypt = (name: string, changed: Buffer, additional = data): Case => ({
    name,
    next: request('POST', `${keys}/${key}:decrypt`, {
      ciphertext: `vault:v1:${changed.toString('base64')}`,
      additional_authenticated_data: additional,
    }),
  })
  await compare('decrypt', 400, calls, [
    decrypt('the first byte of the tag is wrong', flipped(bytes, bytes.length - 16)),
    decrypt('the last byte of the tag is wrong', flipped(bytes, bytes.length - 1)),
    decrypt('the first byte of the content is wrong', flipped(bytes, 29)),
    decrypt('the salt is wrong', flipped(bytes, 1)),
    decrypt('the additional data is wrong', bytes, Buffer.from('Additional').toString('base64')),
    decrypt('a byte is cut', bytes.subarray(0, -1)),
  ])

  const mac = await create('mac', 'MAC')
  const code = Buffer.from((await api.vault.hmac({ ...at, id: mac, body: { data } })).mac, 'base64')
  const verify = (name: string, changed: Buffer): Case => ({
    name,
    next: request('POST', `${keys}/${mac}:verify`, { data, mac: changed.toString('base64') }),
  })
  await compare('verify', 200, calls, [
    verify('the first byte of the code is wrong', flipped(code, 0)),
    verify('the last byte of the code is wrong', flipped(code, code.length - 1)),
    verify('all bytes of the code are wrong', Buffer.from(code.map(byte => byte ^ 0xff))),
  ])

  const capsule = async (more: object) => {
    const { credential, resource_id: id } = await api.vault.createCapsule({
      ...at,
      body: { payload: { data }, ...more },
    })
    return { id, token: credential?.token ?? '' }
  }
  let count = 0
  /** Makes requests from networks of their own, because wrong tokens are limited for each network. */
  const redeem = (name: string, id: string, body: object): Case => ({
    name,
    next() {
      count += 1
      return request('POST', `/vault/alpha/capsules/${id}:redeem`, body, `10.${(count >> 8) % 256}.${count % 256}.1`)()
    },
  })
  const { id, token } = await capsule({})
  const wrong = (position: number): string =>
    `${token.slice(0, position)}${token[position] === 'A' ? 'B' : 'A'}${token.slice(position + 1)}`
  await compare('redeem', 403, calls, [
    redeem('the first character of the token is wrong', id, { token: wrong(5) }),
    redeem('the last character of the token is wrong', id, { token: wrong(token.length - 1) }),
    redeem('the capsule is unknown', at.workspace, { token }),
  ])

  // A capsule takes ten wrong passphrases, the last of which locks it; so each capsule takes nine.
  const passphrase = 'blue-otter-27'
  const each = Math.ceil(calls / 4)
  const left: { readonly id: string; readonly token: string }[] = []
  for (let i = 0; i < Math.ceil((4 * each) / 9); i += 1) left.push(await capsule({ passphrase, max_attempts: 10 }))
  let attempts = 0
  const guess = (name: string, guessed: string): Case => ({
    name,
    next() {
      const chosen = left[Math.floor(attempts / 9) % left.length] ?? { id: '', token: '' }
      attempts += 1
      return redeem(name, chosen.id, { token: chosen.token, passphrase: guessed }).next()
    },
  })
  await compare('redeem with the right token', 400, each, [
    guess('the first character of the passphrase is wrong', `B${passphrase.slice(1)}`),
    guess('the last character of the passphrase is wrong', `${passphrase.slice(0, -1)}8`),
  ])
} finally {
  await platform.close()
}

function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[position] = (changed[position] ?? 0) ^ 1
  return changed
}

/** Returns the values in random order. */
function shuffled(values: readonly number[]): readonly number[] {
  const mixed = [...values]
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const other = randomInt(i + 1)
    const [one = 0, two = 0] = [mixed[i], mixed[other]]
    mixed[i] = two
    mixed[other] = one
  }
  return mixed
}
