/** Why tests of ceph/s3-tests fail: by the names of the tests, the first that fits. */

export interface Reason {
  word: 'not offered' | 'deliberate' | 'suite' | 'to do'
  text: string
}
type Row = readonly [name: RegExp, word: Reason['word'], text: string]

const rows: readonly Row[] = [
  [/^test_iam\.py::test_cross_account/, 'not offered', 'several accounts: there is one'],
  [/_role_policy_allow_create_bucket/, 'deliberate', 'the id of a bucket’s owner is not the number of the account'],
  [
    /^test_iam\.py::test_deny_/,
    'deliberate',
    'permissions come from groups and policies, not from having created a bucket: the suite’s second user has none in its own',
  ],
  [/_head_nonexistent/, 'suite', 'a policy of a role that names a principal is refused, as by AWS'],
  [
    /_get_session_token/,
    'deliberate',
    'permissions do not come from having created a bucket: the suite’s second user may not delete it',
  ],
  [/_different_buckets/, 'deliberate', 'whoever may do nothing in a bucket is not told whether it exists'],
  [
    /_web_identity_(role_)?resource_tag|_tag_keys_role_policy/,
    'suite',
    'tags with the same key are refused, and conditions on tags of buckets and requests do not hold, as by AWS',
  ],
  [
    /_list_buckets_paginated/,
    'suite',
    'it expects no other buckets, which the tests that run at the same time have: alone, it passes',
  ],
  [/^test_s3select\.py/, 'not offered', 'queries of an object’s contents (`SelectObjectContent`)'],
  [/^test_sns\.py/, 'not offered', 'topics: changes are sent as webhooks'],
  [/_logging/, 'not offered', 'logs of access to a bucket as objects: the audit log has them'],
  [
    /_aws2$|_v2$/,
    'deliberate',
    'Signature Version 2 is answered in forms, and in presigned URLs where a setting allows it',
  ],
  [/tenant/, 'not offered', 'tenants'],
  [/cloud|restore|transition/, 'not offered', 'moving objects to other storage classes'],
  [/acl_grant_email/, 'not offered', 'grants to email addresses in an ACL'],
  [
    /acl_grant|acl_canned_bucketowner|acl_full_control|not_owned_object_bucket/,
    'deliberate',
    'an ACL grants to everyone or to all who sign in, not to one other user: groups do',
  ],
  [
    /_put_obj_grant|IfExists/,
    'deliberate',
    'the suite’s first user may do everything by a group, which no missing `Allow` of a policy takes away',
  ],
  [/_request_obj_tag/, 'suite', 'it sets the tags on another client than the one that it then sends the request with'],
  [
    /tags_acl_public|tags_obj_public|deny_self/,
    'not offered',
    'users made by the IAM API, or actions without a credential that only those who sign are given',
  ],
  [
    /upload_part_copy/,
    'deliberate',
    'permissions come from groups, not from having created a bucket: the suite’s second user has none in its own',
  ],
  [/account_usage|head_bucket_usage|head_extended|unordered|torrent/, 'not offered', 'an extension of Ceph'],
  [
    /unicode_metadata/,
    'deliberate',
    'metadata in UTF-8 is returned as AWS documents it; the test expects what its own client cannot read',
  ],
  [/read_unreadable/, 'deliberate', 'a key that is not UTF-8 cannot exist: 404, as for any other that does not'],
  [
    /contentlength_none|authorization_empty|authorization_none|list_buckets_anonymous/,
    'suite',
    'fails on AWS, too: the client adds what the test leaves out, or the answer is another one there',
  ],
]

/** Why a test fails; `to do` where no reason is known. `id` is its file and name, as in `test_s3.py::test_object_acl`. */
export function reasonFor(id: string): Reason {
  const row = rows.find(([name]) => name.test(id))
  return row ? { word: row[1], text: row[2] } : { word: 'to do', text: 'not looked into yet' }
}
