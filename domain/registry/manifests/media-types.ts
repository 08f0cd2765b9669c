/** The media types of the manifests that the registry takes (OCI image 1.1, Docker image manifest 2). */
export const manifestTypes = {
  ociImage: 'application/vnd.oci.image.manifest.v1+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  dockerImage: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
} as const

/** The media type of a manifest. */
export type ManifestType = (typeof manifestTypes)[keyof typeof manifestTypes]

const images: readonly string[] = [manifestTypes.ociImage, manifestTypes.dockerImage]
const indexes: readonly string[] = [manifestTypes.ociIndex, manifestTypes.dockerList]

/** The media types of the configs of images. */
const imageConfigs: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
])

/** The beginnings of the media types of layers that lie elsewhere, and that a push may leave out. */
const foreignLayers = [
  'application/vnd.oci.image.layer.nondistributable.v1.',
  'application/vnd.docker.image.rootfs.foreign.',
]

/** Returns whether a text is the media type of a manifest that the registry takes. */
export const isManifestType = (type: string): type is ManifestType => isIndexType(type) || images.includes(type)

/** Returns whether a media type is the type of a manifest that lists other manifests. */
export const isIndexType = (type: string): boolean => indexes.includes(type)

/** Returns whether a media type is the type of the config of an image. */
export const isImageConfig = (type: string): boolean => imageConfigs.has(type)

/** Returns whether a layer lies elsewhere. */
export const isForeignLayer = (type: string): boolean => foreignLayers.some(start => type.startsWith(start))
