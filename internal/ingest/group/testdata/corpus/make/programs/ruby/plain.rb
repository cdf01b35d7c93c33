# What a client sees of an exception, as data.
require 'json'
def plain(error)
  lines = (error.backtrace || []).map { |l| l.match(/\A(?<file>.+?):(?<line>\d+)(?::in [`'](?<func>.*)')?\z/) }.compact.map { |m| { file: m[:file], line: m[:line].to_i, func: m[:func] || '' } }
  { cls: error.class.name || error.class.to_s, message: error.message, frames: lines, trace: error.full_message(highlight: false, order: :top),
    cause: error.cause && plain(error.cause) }
end
