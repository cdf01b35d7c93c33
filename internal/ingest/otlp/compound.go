package otlp

import "sett/internal/ingest/notice"

// list writes a list of values as JSON.
type list struct{ json []byte }

func (l *list) add(v value) {
	if len(l.json) > 0 {
		l.json = append(l.json, ',')
	}
	if v == (value{}) {
		l.json = append(l.json, "null"...)
		return
	}
	l.json = append(l.json, v.asJSON()...)
}

func (l *list) value() value { return jsonValue(notice.JSON("[" + string(l.json) + "]")) }

// object writes a map as JSON.
type object struct{ members list }

func (o *object) add(key string, v value) {
	if v == (value{}) {
		v = jsonValue("null")
	}
	o.members.add(jsonValue(notice.Text(key) + ":" + v.asJSON()))
}

func (o *object) value() value { return jsonValue(notice.JSON("{" + string(o.members.json) + "}")) }
