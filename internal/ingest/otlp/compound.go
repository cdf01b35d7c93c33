package otlp

import "sett/internal/ingest/notice"

// list writes a list of values as JSON. One that is too long to be shown is no value.
type list struct{ json []byte }

func (l *list) add(v value) {
	if l.tooLong() {
		return
	}
	if len(l.json) > 0 {
		l.json = append(l.json, ',')
	}
	if v == (value{}) {
		l.json = append(l.json, "null"...)
		return
	}
	l.json = append(l.json, v.asJSON()...)
}

func (l *list) tooLong() bool { return len(l.json) > longestValue }

func (l *list) value() value {
	if l.tooLong() {
		return value{}
	}
	return jsonValue(notice.JSON("[" + string(l.json) + "]"))
}

// object writes a map as JSON.
type object struct{ members list }

func (o *object) add(key string, v value) {
	if v == (value{}) {
		v = jsonValue("null")
	}
	o.members.add(jsonValue(notice.Text(key) + ":" + v.asJSON()))
}

func (o *object) value() value {
	if o.members.tooLong() {
		return value{}
	}
	return jsonValue(notice.JSON("{" + string(o.members.json) + "}"))
}
