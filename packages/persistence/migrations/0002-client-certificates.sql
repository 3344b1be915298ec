-- Not a tenant table: a certificate is looked up before its owner is known.
create table client_certificates (
  -- A URI of the certificate's subjectAltName, or its subject as in RFC 4514.
  identity text not null,
  owner_id text not null,
  scopes json not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3) null,
  constraint client_certificates_pkey primary key (identity)
);
