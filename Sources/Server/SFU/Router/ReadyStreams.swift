import Basics

/// The streams that packets wait in, and their publications, in the order in which the first of them came.
///
/// A list that objects are put on and taken off counts two references for each: for sound that is as often as packets
/// come. Here a stream gets a place with its first packet and keeps it, owned; what comes and goes are numbers in the
/// objects themselves, each the place of the one behind it. So packets allocate nothing, and nothing is checked for
/// exclusive access.
final class ReadyStreams {
  // Assigned as a whole, since an array that is changed in place is checked for exclusive access by who reads it, for
  // each packet.
  private var streams: ContiguousArray<SourceStream?> = []
  private var publications: ContiguousArray<Publication?> = []
  private var first = -1
  private var last = -1
  private var firstListed = -1
  private var lastListed = -1

  /// How many streams wait.
  private(set) var count = 0
  /// How many publications they are of.
  private(set) var publicationCount = 0

  /// The first packet that waits of `stream` has come.
  func add(_ stream: SourceStream, of publication: Publication) {
    if stream.place < 0 { enter(stream, of: publication) }
    let place = stream.place
    stream.next = -1
    if last >= 0 { streams.reference(at: last).use { $0.next = place } } else { first = place }
    last = place
    count &+= 1
    guard !publication.isListed else { return }
    publication.isListed = true
    publication.listed = place
    publication.nextListed = -1
    if lastListed >= 0 {
      publications.reference(at: lastListed).use { $0.nextListed = place }
    } else {
      firstListed = place
    }
    lastListed = place
    publicationCount &+= 1
  }

  /// Calls `body` with each stream that waits. None may be added or removed meanwhile.
  @inline(__always)
  func forEach(_ body: (SourceStream) -> Void) {
    var place = first
    while place >= 0 {
      var next = -1
      streams.reference(at: place).use { stream in
        next = stream.next
        body(stream)
      }
      place = next
    }
  }

  /// Calls `body` with each publication that packets wait of. None may be added or removed meanwhile.
  @inline(__always)
  func forEachPublication(_ body: (Publication) -> Void) {
    var place = firstListed
    while place >= 0 {
      var next = -1
      publications.reference(at: place).use { publication in
        next = publication.nextListed
        body(publication)
      }
      place = next
    }
  }

  /// Nothing waits any more.
  func clear() {
    first = -1
    last = -1
    count = 0
    firstListed = -1
    lastListed = -1
    publicationCount = 0
  }

  /// Nothing of `publication` waits any more, and nothing will of streams that it has no more.
  func remove(_ publication: Publication) {
    for place in publications.indices where publications[place] === publication { leave(place) }
    publication.isListed = false
  }

  /// Lets all streams go that their senders have left behind: the next one may send nothing that is accepted, or
  /// nothing that anybody receives, and then has no packet that waits.
  func removeReplaced() {
    for place in streams.indices {
      guard let stream = streams[place], let publication = publications[place],
        !publication.streams.contains(where: { $0 === stream })
      else { continue }
      leave(place)
    }
  }

  private func enter(_ stream: SourceStream, of publication: Publication) {
    // A sender that began anew has left the stream before behind, which nobody receives any more.
    for place in streams.indices where publications[place] === publication {
      if let old = streams[place], !publication.streams.contains(where: { $0 === old }) { leave(place) }
    }
    let place = streams.firstIndex { $0 == nil } ?? streams.count
    put(stream, publication, at: place)
    stream.place = place
  }

  private func leave(_ place: Int) {
    guard let stream = streams[place], let publication = publications[place] else { return }
    unlink(stream)
    unlist(publication, place)
    stream.pending.removeAll()
    stream.place = -1
    put(nil, nil, at: place)
  }

  private func put(_ stream: SourceStream?, _ publication: Publication?, at place: Int) {
    // Taken out while they are changed, so that they are not copied.
    var otherStreams = streams
    var otherPublications = publications
    streams = []
    publications = []
    if place == otherStreams.count {
      otherStreams.append(stream)
      otherPublications.append(publication)
    } else {
      otherStreams[place] = stream
      otherPublications[place] = publication
    }
    streams = otherStreams
    publications = otherPublications
  }

  /// Takes `stream` off the list of those that wait, if it is on it.
  private func unlink(_ stream: SourceStream) {
    var before = -1
    var place = first
    while place >= 0, place != stream.place {
      before = place
      place = streams[place]?.next ?? -1
    }
    guard place >= 0 else { return }
    if before >= 0 { streams[before]?.next = stream.next } else { first = stream.next }
    if last == place { last = before }
    count &-= 1
  }

  /// Takes `publication` off the list, if it is on it by this place.
  private func unlist(_ publication: Publication, _ listed: Int) {
    guard publication.isListed, publication.listed == listed else { return }
    var before = -1
    var place = firstListed
    while place >= 0, place != listed {
      before = place
      place = publications[place]?.nextListed ?? -1
    }
    publication.isListed = false
    guard place >= 0 else { return }
    if before >= 0 {
      publications[before]?.nextListed = publication.nextListed
    } else {
      firstListed = publication.nextListed
    }
    if lastListed == place { lastListed = before }
    publicationCount &-= 1
  }
}
