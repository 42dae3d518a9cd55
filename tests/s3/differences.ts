/** What Ceph does differently in more than one answer: by whose lines are taken out of the comparison. */
export const everywhere: readonly { reason: string; ours?: RegExp; theirs?: RegExp }[] = [
  { reason: 'Ceph sends Accept-Ranges with an upload.', theirs: /^accept-ranges: bytes$/ },
  { reason: 'Ceph says that an empty answer is a document.', theirs: /^content-type: application\/xml$/ },
  {
    reason: 'Ceph 16 computes no checksum that nobody asked for.',
    ours: /\/(ChecksumCRC64NVME|ChecksumAlgorithm CRC64NVME|ChecksumType FULL_OBJECT)/,
  },
  {
    reason: 'Ceph leaves out the quotes of ETags in results.',
    ours: /^(CopyObject|CopyPart|CompleteMultipartUpload)Result\/ETag "[\w-]+"$/,
    theirs: /^(CopyObject|CopyPart|CompleteMultipartUpload)Result\/ETag [\w-]*$/,
  },
  { reason: 'A 304 of ours has the validators that a 200 would have.', ours: /^last-modified$/ },
  {
    reason: 'Ceph adds a type to each entry of a list.',
    theirs: /^(ListBucketResult\/Contents|ListVersionsResult\/Version)\/Type Normal$/,
  },
  { reason: 'Ceph does not say who started an upload.', ours: /^ListPartsResult\/Initiator\// },
  { reason: 'Ceph names the next marker without a delimiter too.', theirs: /^ListBucketResult\/NextMarker / },
  { reason: 'Ceph does not say where a new bucket is.', ours: /^location: / },
  { reason: 'Ceph does not know the host that was asked.', ours: /Result\/Location /, theirs: /Result\/Location / },
  {
    reason: 'We repeat parameters of lists that are empty, as S3 does.',
    ours: /^ListMultipartUploadsResult\/(KeyMarker|UploadIdMarker|Prefix) $/,
  },
]

/** What single steps are answered with instead: by us, and by Ceph. */
export const here: readonly { reason: string; steps: Record<string, string> }[] = [
  {
    reason: 'Ours is S3’s code; Ceph has another one, or none.',
    steps: {
      'create in a malformed document': 'status 400, code MalformedXML <> status 400, code InvalidArgument',
      'put a key of 1025 bytes': 'status 400, code KeyTooLongError <> status 400, code InvalidObjectName',
      'list parts of no upload': 'status 404, code NoSuchUpload <> status 404, code NoSuchKey',
      'delete many of a malformed document': 'status 400, code MalformedXML <> status 400',
    },
  },
  {
    reason: 'S3 answers 204 for a day where an upload is gone already.',
    steps: {
      'abort again': 'status 204 <> status 404, code NoSuchUpload',
      'abort what is complete': 'status 204 <> status 404, code NoSuchUpload',
    },
  },
  {
    reason: 'S3 answers 204 where Ceph answers 200.',
    steps: {
      'delete tags of the bucket': 'status 204 <> status 200',
    },
  },
  {
    reason:
      'What is not set has a code in S3; Ceph 16 does not know it, and lists the objects instead of the encryption.',
    steps: {
      'get ?website that is not set':
        'status 404, code NoSuchWebsiteConfiguration <> status 405, code MethodNotAllowed',
      'get ?replication that is not set': 'status 404, code ReplicationConfigurationNotFoundError <> status 200',
      'get ?encryption that is not set':
        'status 404, code ServerSideEncryptionConfigurationNotFoundError <> status 200',
    },
  },
  {
    reason: 'The first region of S3 has an empty name here, and Ceph names its zone group.',
    steps: { 'get ?location': 'content-type: application/xml, LocationConstraint  <> LocationConstraint default' },
  },
  {
    reason: 'An asterisk stands for any object (RFC 9110, 13.1.1 and 13.1.2); Ceph compares it with the ETag.',
    steps: {
      'GET with if-match: *': 'status 200 <> status 412, code PreconditionFailed',
      'HEAD with if-match: *': 'status 200 <> status 412',
      'GET with if-none-match: *': 'status 304 <> status 200',
      'HEAD with if-none-match: *': 'status 304 <> status 200',
    },
  },
  {
    reason:
      'A range that is not valid is ignored, one that ends before the first byte cannot be satisfied (RFC 9110, 14.1).',
    steps: {
      'GET of bytes=3-1': 'status 200 <> status 416, code InvalidRange',
      'GET of bytes=-0': 'status 416, code InvalidRange <> status 206',
      'GET of bytes=a-b': 'status 200 <> status 206',
      'GET of lines=0-1': ' <> content-range: bytes 0-4/5',
    },
  },
  {
    reason: 'S3 answers several ranges with the whole object; Ceph sends the first.',
    steps: { 'GET of bytes=0-1,3-4': 'status 200 <> status 206' },
  },
  {
    reason: 'Ceph’s limit of metadata is higher.',
    steps: { 'put with metadata that is too large': 'status 400, code MetadataTooLarge <> status 200' },
  },
  {
    reason: 'Ceph 16 gets these conditions on the source wrong.',
    steps: {
      'copy with if-match: "other"': 'status 412, code PreconditionFailed <> status 200',
      'copy with if-none-match: 5d41402': 'status 412, code PreconditionFailed <> status 200',
    },
  },
  {
    reason: 'Ceph names the next entry although there is none.',
    steps: {
      'list uploads':
        ' <> ListMultipartUploadsResult/NextKeyMarker parts, ListMultipartUploadsResult/NextUploadIdMarker …',
    },
  },
  {
    reason: 'Ceph sorts parts itself, takes numbers that S3 does not, and does not know partNumber of a GET.',
    steps: {
      'complete in the wrong order': 'status 400, code InvalidPartOrder <> status 200',
      'put part 0': 'status 400, code InvalidArgument <> status 200',
      'put part 10001': 'status 400, code InvalidArgument <> status 200',
      'head part 2': 'status 400 <> status 200',
    },
  },
  {
    reason: 'Ceph 16 lists an object that came in parts without its ETag.',
    steps: { 'list all': ' <> ListBucketResult/Contents/ETag ""' },
  },
]
