# Runs jobs of Sidekiq as its processor does, and prints what was raised: one line of JSON per job. usage: capture.rb ROOT < JOBS
require_relative '../ruby/plain'
require 'sidekiq'
require 'sidekiq/testing'
root = ARGV.fetch(0)
require File.join(root, 'shop.rb')
Sidekiq::Testing.inline!
$stdin.read.each_line(chomp: true) do |line|
  job, argument = line.split(' ', 2)
  Object.const_get(job).perform_async(JSON.parse(argument))
rescue Exception => e
  puts JSON.generate(plain(e).merge(route: "Sidekiq/#{job}"))
end
