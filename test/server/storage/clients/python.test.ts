import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servedPlane, type ServedPlane } from '../plane/served-plane.ts'
import { hasProgram, run } from '../../programs.ts'

/** Sends the requests of its input with urllib, and prints the status, the headers and the body of each answer. */
const program = `
import json, sys, urllib.error, urllib.request
answers = []
for each in json.load(sys.stdin):
    data = each['body'].encode() if 'body' in each else None
    request = urllib.request.Request(each['url'], data=data, method=each['method'], headers=each['headers'])
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    headers = {name.lower(): value for name, value in answer.headers.items()}
    answers.append([answer.status, headers, answer.read().decode()])
print(json.dumps(answers))
`

/** A request for the program. */
interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

describe.skipIf(!hasProgram('python3'))('urllib of Python (install python3 to run this)', () => {
  let plane: ServedPlane
  let ends: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    plane = await servedPlane(end => void ends.push(end))
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
    ends = []
  })

  async function answersTo(
    ...requests: readonly Sent[]
  ): Promise<readonly (readonly [status: number, headers: Readonly<Record<string, string>>, body: string])[]> {
    const { errors, output } = await run('python3', ['-c', program], JSON.stringify(requests))
    expect(errors).toBe('')
    return JSON.parse(output.toString())
  }

  it('uploads, reads, reads a range, and asks for the headers', async () => {
    const object = 'ключ/a b+c%2F.txt'
    const conditions = { content_type: 'text/plain', content_length: 5, custom_metadata: { a: 'one' } }
    const signed = await plane.upload(object, conditions)
    const { url } = await plane.download(object)
    const answers = await answersTo(
      { url: signed.url, method: 'PUT', headers: signed.headers, body: 'hello' },
      { url, method: 'GET', headers: {} },
      { url, method: 'GET', headers: { Range: 'bytes=1-2' } },
      { url, method: 'HEAD', headers: {} },
      { url, method: 'GET', headers: { 'If-None-Match': '"5d41402abc4b2a76b9719d911017c592"' } },
    )
    expect(answers.map(([status, , body]) => [status, body])).toEqual([
      [200, ''],
      [200, 'hello'],
      [206, 'el'],
      [200, ''],
      [304, ''],
    ])
    expect(answers[3]?.[1]).toMatchObject({
      'content-length': '5',
      'content-type': 'text/plain',
      etag: '"5d41402abc4b2a76b9719d911017c592"',
      'x-amz-meta-a': 'one',
    })
  })

  it('is told the reason of each refusal', async () => {
    const signed = await plane.upload('refused', { content_length: 5 })
    const { url } = await plane.download('absent')
    const answers = await answersTo(
      { url: signed.url, method: 'PUT', headers: {}, body: 'hello!' },
      { url: `${url}0`, method: 'GET', headers: {} },
      { url, method: 'GET', headers: {} },
      { url, method: 'POST', headers: {}, body: 'hello' },
    )
    expect(answers.map(([status, , body]) => `${status} ${/"reason":"(\w+)"/.exec(body)?.[1]}`)).toEqual([
      '403 SIGNATURE_INVALID',
      '403 SIGNATURE_INVALID',
      '404 OBJECT_NOT_FOUND',
      '405 ROUTE_NOT_FOUND',
    ])
  })
})
