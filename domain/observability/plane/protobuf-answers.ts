import type { Status } from '../../../runtime/status.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { encodeMessage, type Field } from '../ingest/wire/encode-message.ts'
import { protobufType, typeOf } from './pushed-form.ts'

/** Wraps the calls of the plane: an error of a request in protobuf is answered as google.rpc.Status in protobuf. */
export const withProtobufErrors =
  (dispatch: Dispatch): Dispatch =>
  async request => {
    const answer = await dispatch(request)
    const { body, headers } = answer
    const isOtlp = /^[^?]*\/ingest\/[^/?]+\/v1\//.test(request.target)
    if (answer.status < 400 || typeof body !== 'string' || !isOtlp || typeOf(request.headers) !== protobufType)
      return answer
    // The errors of the plane are written by `errorAnswer`.
    const status = JSON.parse(body) as Status
    return { ...answer, headers: { ...headers, 'content-type': protobufType }, body: encodeStatus(status) }
  }

/** Encodes an error; details other than those of the plane's errors are left out. */
export function encodeStatus({ code, details, message }: Status): Uint8Array<ArrayBuffer> {
  const encoded = details.flatMap(detail => {
    const { '@type': type } = detail
    const encode = encoders.get(type.slice(type.lastIndexOf('.') + 1))
    return encode === undefined ? [] : [anyOf(type, encodeMessage(encode(detail)))]
  })
  return encodeMessage([[1, code], [2, message], ...encoded.map(detail => [3, detail] as const)])
}

const anyOf = (type: string, value: Uint8Array) =>
  encodeMessage([
    [1, type],
    [2, value],
  ])

type Detail = Status['details'][number]

/** The fields of the details of errors (google/rpc/error_details.proto), by the names of their messages. */
const encoders: ReadonlyMap<string, (detail: Detail) => Iterable<Field>> = new Map(
  Object.entries({
    ErrorInfo: ({ domain, metadata, reason }: Detail) => [
      ...texts([1, reason], [2, domain]),
      ...Object.entries(metadata ?? {}).map(entry => [3, encodeMessage(texts([1, entry[0]], [2, entry[1]]))] as const),
    ],
    RetryInfo: ({ retry_delay: delay }: Detail) => {
      const seconds = Number.parseFloat(String(delay))
      const duration: Field[] = [
        [1, Math.floor(seconds)],
        [2, Math.round((seconds % 1) * 1e9)],
      ]
      return [[1, encodeMessage(duration)] as const]
    },
    BadRequest: ({ field_violations: rows }: Detail) => violations(rows, 'field', 'description'),
    PreconditionFailure: ({ violations: rows }: Detail) => violations(rows, 'type', 'subject', 'description'),
    QuotaFailure: ({ violations: rows }: Detail) => violations(rows, 'subject', 'description'),
  }),
)

const texts = (...fields: readonly (readonly [number: number, value: unknown])[]): Field[] =>
  fields.flatMap(([number, value]) => (typeof value === 'string' ? [[number, value] as const] : []))

/** Returns the violations of a detail, whose members have ascending numbers in the order of `names`. */
const violations = (rows: unknown, ...names: readonly string[]): Field[] =>
  (Array.isArray(rows) ? rows : []).map((row: Readonly<Record<string, unknown>>) => [
    1,
    encodeMessage(texts(...names.map((name, index) => [index + 1, row[name]] as const))),
  ])
