import type { CORSRule, GetBucketCorsCommandOutput } from '@aws-sdk/client-s3'
import type { CorsRule } from '../../../output/storage/types.ts'

/** Returns a rule in the form of S3. */
export const corsInput = (rule: CorsRule): CORSRule => ({
  AllowedOrigins: [...rule.allowed_origins],
  AllowedMethods: [...rule.allowed_methods],
  MaxAgeSeconds: rule.max_age_seconds,
  ...(rule.allowed_headers.length > 0 && { AllowedHeaders: [...rule.allowed_headers] }),
  ...(rule.expose_headers.length > 0 && { ExposeHeaders: [...rule.expose_headers] }),
})

const isMethod = (method: string): method is CorsRule['allowed_methods'][number] =>
  method === 'GET' || method === 'HEAD' || method === 'PUT'

/** Returns the rules of a bucket from an answer of S3; methods that buckets of the platform cannot allow are left out. */
export const corsOutput = ({ CORSRules = [] }: Pick<GetBucketCorsCommandOutput, 'CORSRules'>): readonly CorsRule[] =>
  CORSRules.map(rule => ({
    allowed_origins: [...(rule.AllowedOrigins ?? [])],
    allowed_methods: (rule.AllowedMethods ?? []).filter(isMethod),
    allowed_headers: [...(rule.AllowedHeaders ?? [])],
    expose_headers: [...(rule.ExposeHeaders ?? [])],
    max_age_seconds: rule.MaxAgeSeconds ?? 0,
  }))
