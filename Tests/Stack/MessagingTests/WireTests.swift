import Messaging
import Signaling
import Testing

@Suite struct WireTests {
  private let coder = MessagingCoder()

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `what each end writes, the other reads`() throws {
    let chat = ChatInfo(
      chatId: ChatID("c1"), isOneToOne: true, invitePolicy: .participantsOnly,
      participants: [.init(regId: RegID(.max >> 1), state: .pending, isAdmin: true)], lastMessage: .init(0),
      firstMessage: .init(1), key: Sealed("AAAA"))
    let sent: [EndpointMessage] = [
      .hello(.init(domain: DomainID("d"), token: "t", userId: "ann")),
      .resume(.init(domain: DomainID("d"), endpoint: EndpointID("e"), secret: "s", acknowledged: .init(7))),
      .request(id: 3, .messageSend(chatId: ChatID("c1"), cookie: "k", body: Sealed("AAAA"))),
      .request(id: 4, .setupRetry), .request(id: 5, .vault(request: .open(proof: .init(token: "AAAA")))),
      .acknowledge(.init(9)), .ping,
    ]
    let back = try sent.map { try coder.endpointMessage(from: bytes(coder.encode($0))) }
    #expect(back == sent)
    let heard: [ServiceMessage] = [
      .answer(id: 3, .chat(chat: chat)), .answer(id: 4, .done),
      .failed(id: nil, .init(.full, "Free an endpoint.")),
      .event(number: .init(12), time: .init(milliseconds: 5), .chatAdded(chat: chat, by: RegID(5))),
      .event(number: .init(13), time: .init(milliseconds: 6), .gap),
      .passing(.caughtUp(number: .init(12))), .endpointDeregistered, .pong,
    ]
    let backAgain = try heard.map { try coder.serviceMessage(from: bytes(coder.encode($0))) }
    #expect(backAgain == heard)
  }

  @Test func `numbers of 64 bits are strings, and a message is an object with one key`() throws {
    let read = try coder.endpointMessage(
      from: bytes(#"{"request":{"id":7,"messagesRead":{"chatId":"c","number":"18446744073709551615"}}}"#))
    #expect(read == .request(id: 7, .messagesRead(chatId: ChatID("c"), number: .init(.max))))
    let text = try coder.encode(ServiceMessage.answer(id: 1, .sent(number: .init(5), time: .init(milliseconds: 2))))
    #expect(text.contains(#""number":"5""#))
  }

  @Test(
    "what is not of the protocol is a typed error",
    arguments: [
      #"{"request":{"id":7,"messagesRead":{"chatId":"c","number":5}}}"#,
      #"{"request":{"id":7,"messagesRead":{"chatId":"c","number":"05"}}}"#,
      #"{"request":{"id":7,"messagesRead":{"chatId":"a/b","number":"5"}}}"#,
      #"{"request":{"id":7,"messageSend":{"chatId":"c","cookie":"k","body":"a+b="}}}"#,
      #"{"request":{"id":7,"chatLeave":{"chatId":"c"},"setupRetry":{}}}"#, #"{"request":{"id":7,"unheardOf":{}}}"#,
      #"{"ping":{},"acknowledge":{"through":"1"}}"#, #"{"ping":{},"ping":{}}"#, "[]", "{}", "nonsense",
    ]) func refused(text: String)
  {
    #expect(throws: SignalingError.self) { try coder.endpointMessage(from: bytes(text)) }
  }
}
