# Listens to RSpec beside its formatters: appends what happens to the events file, one JSON value a line.
require "json"

module PthListener
  LIMIT = 16_000
  # What a test prints beyond that is in the output of the run.
  MOST_OUTPUT = 256 * 1024
  EVENTS = File.open(ENV.fetch("PTH_TEST_EVENTS"), "a")
  PROCESS = Process.pid

  @open = {}.compare_by_identity
  @next = 0
  @started = false

  class << self
    # A test that forks and goes on in its child says nothing more.
    def write(event)
      EVENTS.syswrite(JSON.generate(event) + "\n") if Process.pid == PROCESS
    end

    def text(value)
      text = value.to_s.dup
      text.force_encoding("UTF-8") if [Encoding::BINARY, Encoding::US_ASCII].include?(text.encoding)
      text = text.encode("UTF-8", :invalid => :replace, :undef => :replace).scrub
      text.length > LIMIT ? "#{text[0, LIMIT]} …" : text
    end

    def hear(event, notification)
      case event
      when :start
        @started = true
        write(:type => "planned", :tests => notification.count) if notification.count > 0
      when :example_started then begin_example(notification.example)
      # What formatters print of a test is not its output.
      when :example_finished then @current = nil
      when :example_passed then finish(notification.example, :status => "passed")
      when :example_failed then finish(notification.example, failure(notification.example.exception))
      when :example_pending
        reason = text(notification.example.execution_result.pending_message)
        finish(notification.example, :status => "skipped", :message => reason)
      when :close then write(:type => "end")
      end
    end

    # Something failed that is no test: a file that cannot be loaded, a hook around several tests.
    def fail_outside(exception, context)
      told = failure(exception)
      message = told[:message]
      lines = [message, *told[:stack]].join("\n")
      if @started
        id = @next += 1
        write(:type => "finished", :id => id, :test => { :name => text(context) }, :outcome => told)
      else
        write(:type => "not_run", :message => message, :text => lines)
      end
    end

    def print(printed)
      return if @current.nil? || (@printed += printed.length) > MOST_OUTPUT
      write(:type => "output", :id => @current, :text => text(printed))
    end

    private

    def begin_example(example)
      @open[example] = { :id => @next += 1, :test => test(example) }
      @current = @open[example][:id]
      @printed = 0
      write({ :type => "started" }.merge(@open[example]))
    end

    def finish(example, outcome)
      known = @open.delete(example) || { :id => @next += 1, :test => test(example) }
      seconds = example.execution_result.run_time
      place = { :file => text(example.metadata[:absolute_file_path]), :line => example.metadata[:line_number] }
      more = seconds.nil? ? {} : { :durationMs => (seconds * 1_000_000).round / 1000.0 }
      write({ :type => "finished", :outcome => { :place => place }.merge(more).merge(outcome) }.merge(known))
    end

    def test(example)
      file = example.metadata[:rerun_file_path] || example.metadata[:file_path]
      name = text(example.full_description)
      # RSpec makes up the description of such a test once it has run.
      name = "#{name.strip} (#{example.location})" if example.metadata[:description].to_s.empty?
      { :name => name, :suite => text(File.expand_path(file)) }
    end

    def failure(exception)
      all = exception.respond_to?(:all_exceptions) ? exception.all_exceptions : [exception]
      formatter = RSpec.configuration.backtrace_formatter
      frames = all.first.backtrace || []
      own = frames.reject { |frame| formatter.exclude?(frame) }
      stack = (own.empty? ? frames : own).first(50).map { |frame| text(frame) }
      { :status => "failed", :message => text(all.map { |one| worded(one) }.join("\n\n")), :stack => stack }
    end

    def worded(exception)
      message = text(exception.message).strip
      exception.class.name.to_s.start_with?("RSpec::") ? message : "#{exception.class}: #{message}"
    end
  end

  module Notices
    def notify(event, notification)
      PthListener.hear(event, notification)
      super
    end

    def notify_non_example_exception(exception, context)
      PthListener.fail_outside(exception, context)
      super
    end
  end

  # What is printed by this process while a test runs.
  module Printed
    def write(*texts)
      PthListener.print(texts.join)
      super
    end
  end
end

# Tests read the arguments of their process: those that brought this file are not theirs.
option = ARGV.index(__FILE__)
ARGV.slice!(option - 1, 2) if option && ARGV[option - 1] == "--require"

RSpec::Core::Reporter.prepend(PthListener::Notices)
[STDOUT, STDERR].each { |stream| stream.singleton_class.prepend(PthListener::Printed) }
