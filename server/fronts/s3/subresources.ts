/** Query keys that name a part of a bucket or an object: a request with one is never about the whole. */
export const SUBRESOURCES: ReadonlySet<string> = new Set([
  ...['abac', 'accelerate', 'acl', 'analytics', 'annotation', 'attributes', 'cors', 'delete', 'encryption'],
  ...['intelligent-tiering', 'inventory', 'legal-hold', 'lifecycle', 'location', 'logging'],
  ...['metadataAnnotationTable', 'metadataConfiguration', 'metadataInventoryTable', 'metadataJournalTable'],
  ...['metadataTable', 'metrics', 'notification', 'object-lock', 'ownershipControls', 'policy', 'policyStatus'],
  ...['publicAccessBlock', 'renameObject', 'replication', 'requestPayment', 'restore', 'retention', 'select'],
  ...['session', 'tagging', 'torrent', 'uploadId', 'uploads', 'versioning', 'versions', 'website', 'list-type'],
])
