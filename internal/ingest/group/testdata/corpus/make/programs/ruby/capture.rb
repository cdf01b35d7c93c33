# Runs statements as the main program of an application, and prints exceptions as data: one line of JSON per statement. usage: capture.rb ROOT < STATEMENTS
require_relative '../ruby/plain'
root = ARGV.fetch(0)
require File.join(root, 'shop.rb')
$stdin.read.each_line(chomp: true) do |statement|
  File.write("#{root}/main.rb", "\n#{statement}\n")
  load "#{root}/main.rb"
  puts JSON.generate(cls: 'none')
rescue Exception => e
  puts JSON.generate(plain(e))
end
