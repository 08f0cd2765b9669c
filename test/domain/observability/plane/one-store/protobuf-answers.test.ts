import { describe, expect, it } from 'vitest'
import protobuf from 'protobufjs'
import { encodeStatus } from '../../../../../domain/observability/plane/protobuf-answers.ts'

/** The details of errors, as Google publishes them. */
const { root } = protobuf.parse(
  `
syntax = "proto3";
package google.rpc;
message Any { string type_url = 1; bytes value = 2; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
message RetryInfo { Duration retry_delay = 1; }
message BadRequest { message FieldViolation { string field = 1; string description = 2; }
  repeated FieldViolation field_violations = 1; }
message QuotaFailure { message Violation { string subject = 1; string description = 2; } repeated Violation violations = 1; }
message PreconditionFailure { message Violation { string type = 1; string subject = 2; string description = 3; }
  repeated Violation violations = 1; }
`,
  { keepCase: true },
)

const read = (name: string, bytes: Uint8Array) => {
  const type = root.lookupType(name)
  return type.toObject(type.decode(bytes), { longs: Number })
}

describe('an error in protobuf', () => {
  it('has the code, the message and all details of google.rpc', () => {
    const violations = [{ subject: 'q', description: 'too many' }]
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'R',
        domain: 'd',
        metadata: { code: '1', a: 'ä' },
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retry_delay: '2.5s' },
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', field_violations: [{ field: 'f', description: 'bad' }] },
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations },
      { '@type': 'type.googleapis.com/google.rpc.PreconditionFailure', violations: [{ type: 't', ...violations[0] }] },
    ]
    const status = read('google.rpc.Status', encodeStatus({ code: 8, message: 'm', details }))
    expect(status).toMatchObject({ code: 8, message: 'm' })
    const decoded = status['details'].map(
      ({ type_url, value }: { readonly type_url: string; readonly value: Uint8Array }) => ({
        '@type': type_url,
        ...read(type_url.replace('type.googleapis.com/', ''), value),
      }),
    )
    expect(decoded).toEqual(
      details.map(detail =>
        'retry_delay' in detail ? { ...detail, retry_delay: { seconds: 2, nanos: 500_000_000 } } : detail,
      ),
    )
  })
})
