{{/* Values that contradict each other, and what to do. */}}
{{- define "sett.check" -}}
{{- range $name := list "SETT_LISTEN" "SETT_DATA" "SETT_DATABASE" "SETT_DATABASE_DIRECT" "SETT_DATABASE_READ" "SETT_SECRET_KEY_FILE" "SETT_SPOOL_BYTES" "SETT_BLOCKS" "SETT_BLOCK_CACHE_BYTES" }}
{{- if or (hasKey $.Values.settings $name) (hasKey $.Values.settings (printf "%s_FILE" $name)) }}
{{- fail (printf "settings has %s, which the chart sets: use the values database, secretKey, spoolBytes and blocks" $name) }}
{{- end }}
{{- end }}
{{- if and (not .Values.database.secret) (or .Values.database.directKey .Values.database.readKey) }}
{{- fail "database.directKey and database.readKey are keys of database.secret, which is missing" }}
{{- end }}
{{- if and .Values.database.secret (not .Values.secretKey.secret) }}
{{- fail "secretKey.secret is missing: all pods of a PostgreSQL database need one secret key. Make it with: sett secrets key > secret.key" }}
{{- end }}
{{- if and (not .Values.database.secret) (gt (int .Values.replicas) 1) }}
{{- fail "replicas is more than 1: that needs PostgreSQL, see database.secret" }}
{{- end }}
{{- if and .Values.blocks.secret (not .Values.blocks.address) }}
{{- fail "blocks.secret has credentials of object storage, and blocks.address is missing: set it, such as to s3://bucket/prefix" }}
{{- end }}
{{- if and .Values.serviceAccount.name .Values.serviceAccount.annotations }}
{{- fail "serviceAccount.annotations are of an account that the chart creates, serviceAccount.name is of one that exists: set one of them" }}
{{- end }}
{{- $used := 268435456 }}
{{- if .Values.database.secret }}{{ $used = add $used (int64 .Values.spoolBytes) }}{{ end }}
{{- if .Values.blocks.address }}{{ $used = add $used (int64 .Values.blocks.cacheBytes) }}{{ end }}
{{- if lt (include "sett.bytes" .Values.storage.size | int64) $used }}
{{- fail (printf "storage.size is %v: the spool, the cache of object storage and 256 MiB more take %d bytes; raise it, or lower spoolBytes or blocks.cacheBytes" .Values.storage.size $used) }}
{{- end }}
{{- end }}

{{/* The bytes of a size; values.schema.json has the units. */}}
{{- define "sett.bytes" -}}
{{- $number := regexFind "^[0-9]+" . }}
{{- mul (int64 $number) (get (dict "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "M" 1000000 "G" 1000000000 "T" 1000000000000) (trimPrefix $number .)) }}
{{- end }}
