-- As 0004, for the tables that no other refers to. They are locked together, for as long as it takes to exchange names.
do $$
begin
  lock table once, outbox, api_keys, client_certificates in access exclusive mode;

  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = 'once'::regclass) then
      drop index once_pkey_c;
      drop index once_aggregate_index_c;
      drop index outbox_pkey_c;
      drop index api_keys_pkey_c;
      drop index api_keys_prefix_unique_c;
      drop index client_certificates_pkey_c;
      return;
    end if;
  end if;

  alter table once drop constraint once_pkey;
  drop index once_aggregate_index;
  alter table once alter owner_id type text collate "C", alter key type text collate "C";
  alter table once add constraint once_pkey primary key using index once_pkey_c;
  alter index once_aggregate_index_c rename to once_aggregate_index;

  alter table outbox drop constraint outbox_pkey;
  alter table outbox alter owner_id type text collate "C";
  alter table outbox add constraint outbox_pkey primary key using index outbox_pkey_c;

  alter table api_keys drop constraint api_keys_pkey, drop constraint api_keys_prefix_unique;
  alter table api_keys alter key_hash type text collate "C", alter prefix type text collate "C";
  alter table api_keys
    add constraint api_keys_pkey primary key using index api_keys_pkey_c,
    add constraint api_keys_prefix_unique unique using index api_keys_prefix_unique_c;

  alter table client_certificates drop constraint client_certificates_pkey;
  alter table client_certificates alter identity type text collate "C";
  alter table client_certificates add constraint client_certificates_pkey primary key using index client_certificates_pkey_c;
end
$$;
