package stream

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"sett/internal/sett/insight"
)

// text returns a field with a text; one without a value if the text is empty.
func text(key, value string) insight.Field {
	if value == "" {
		return insight.Field{Key: key}
	}
	return insight.TextField(key, value)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func truth(key string, is bool) insight.Field {
	return insight.Field{Key: key, Value: strconv.FormatBool(is)}
}

// appendFields appends what a value of decoded JSON has: of an object each member, under the names that lead to it, joined by dots.
func appendFields(fields []insight.Field, key string, value any, depth int) []insight.Field {
	switch v := value.(type) {
	case map[string]any:
		if depth < insight.MaxDepth {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				fields = appendFields(fields, key+"."+name, v[name], depth+1)
			}
			return fields
		}
	case string:
		return append(fields, text(insight.CleanKey(key), v))
	case nil:
		return fields
	}
	encoded, err := json.Marshal(value)
	if err != nil || len(encoded) > insight.MaxText {
		return fields
	}
	return append(fields, insight.Field{Key: insight.CleanKey(key), Value: string(encoded)})
}
