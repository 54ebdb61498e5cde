import Glibc

/// Text on its way to standard output or standard error, written by a thread of its own: a pipe that nobody reads, or a
/// terminal that was stopped, never holds up a meeting.
///
/// The queue is bounded. When there is no room, the oldest texts are dropped, so that the newest ones, such as why a
/// meeting ended, are kept; a notice stands where they were.
///
/// ```swift
/// let output = OutputQueue(descriptor: 1) { count in "(\(count) lines were not read in time)\n" }
/// for await event in meeting.events { output.enqueue("\(event)\n") }
/// let lost = output.drain()
/// ```
public final class OutputQueue: @unchecked Sendable {
  // Unchecked because: everything below is only touched while `lock` is held, except what never changes.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  /// Signalled when there is something to write, and after each write.
  private let change: UnsafeMutablePointer<pthread_cond_t>
  private let descriptor: Int32
  private let capacity: Int
  private let notice: @Sendable (Int) -> String?
  private var texts = OutputBacklog()
  /// Whether the thread has text that is not written yet.
  private var isWriting = false
  /// Counts writes, so that ``drain(patience:)`` sees a slow reader from none.
  private var writes = 0
  private var error: Int32 = 0
  /// Whether ``drain(patience:)`` gave up: whoever may read again, nobody waits for it.
  private var isAbandoned = false

  /// A queue for a file descriptor, which stays open.
  ///
  /// ```swift
  /// let errors = OutputQueue(descriptor: 2, capacity: 64 << 10)
  /// ```
  /// - Parameters:
  ///   - descriptor: The descriptor to write to: 1 is standard output, 2 standard error.
  ///   - capacity: How many bytes may wait, besides those that the pipe itself takes.
  ///   - notice: The text in place of so many dropped ones; nil for nothing.
  public init(
    descriptor: Int32, capacity: Int = 1 << 20, notice: @escaping @Sendable (Int) -> String? = { _ in nil }
  ) {
    self.descriptor = descriptor
    self.capacity = capacity
    self.notice = notice
    lock = .allocate(capacity: 1)
    change = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(change, &attributes)
    pthread_condattr_destroy(&attributes)
    var thread = pthread_t()
    // The thread, and so this queue, lives as long as the process.
    let context = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<OutputQueue>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    precondition(result == 0, "the system refuses to start a thread: \(result)")
    pthread_detach(thread)
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }

  /// The system's error code of the first write that failed, since the reader has gone or the disk is full; 0 while all
  /// is well. Nothing is written after that.
  public var writeError: Int32 { locked { error } }

  /// Has a text written, a whole line as a rule. Never waits for the reader.
  ///
  /// ```swift
  /// let output = OutputQueue(descriptor: 1)
  /// output.enqueue("\(participant.name) is here\n")
  /// ```
  public func enqueue(_ text: String) {
    locked {
      guard error == 0, !isAbandoned else { return }
      texts.append(text, capacity: capacity)
      pthread_cond_broadcast(change)
    }
  }

  /// Waits until everything is written, for as long as somebody reads: it gives up when nothing at all was read for
  /// `patience`, and nothing more is taken then.
  ///
  /// ```swift
  /// let output = OutputQueue(descriptor: 1)
  /// let lost = output.drain(patience: .seconds(2))
  /// ```
  /// - Returns: How many texts are lost: those that nobody has read.
  @discardableResult public func drain(patience: TimeSpan = .seconds(5)) -> Int {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    var seen = writes
    var end = Self.time(in: patience)
    while error == 0, !isAbandoned, isWriting || !texts.isEmpty {
      let isLate = pthread_cond_timedwait(change, lock, &end) == ETIMEDOUT
      if writes != seen {
        seen = writes
        end = Self.time(in: patience)
      } else if isLate {
        isAbandoned = true
        return texts.count + (isWriting ? 1 : 0)
      }
    }
    return 0
  }

  private static func time(in span: TimeSpan) -> timespec {
    let end = (MonotonicClock.now + max(span, .zero)).nanoseconds
    return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
  }

  // MARK: The thread

  private func run() {
    while let text = next() {
      let code = write(text)
      locked {
        isWriting = false
        if code != 0 {
          error = code
          texts = OutputBacklog()
        }
        pthread_cond_broadcast(change)
      }
      if code != 0 { return }
    }
  }

  /// The next text; waits for one.
  private func next() -> String? {
    locked {
      while texts.isEmpty { pthread_cond_wait(change, lock) }
      isWriting = true
      return texts.removeFirst(notice)
    }
  }

  /// Writes all of a text, and counts each piece; the system's error code, 0 for none.
  private func write(_ text: String) -> Int32 {
    Self.write(text, to: descriptor) { locked { wrote() } }
  }

  private func wrote() {
    writes &+= 1
    pthread_cond_broadcast(change)
  }

  /// Writes all of a text, and waits for whoever reads it; the system's error code, 0 for none. `progress` is called
  /// after each piece.
  package static func write(_ text: String, to descriptor: Int32, progress: () -> Void = {}) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        // As much as a pipe takes in one piece: each piece that was read counts as progress.
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF)))
        let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
        if count > 0 {
          rest = rest.dropFirst(count)
          progress()
          continue
        }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        switch errno {
        case EINTR: continue
        // A terminal or pipe that somebody made non-blocking.
        case EAGAIN: _ = poll(&waiting, 1, -1)
        default: return errno == 0 ? EIO : errno
        }
      }
      return 0
    }
  }
}
