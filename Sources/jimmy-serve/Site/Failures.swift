import Composition
import Domain
import Hummingbird
import NIOCore
import Presentation

/// Turns errors into responses: pages for people, JSON for scripts.
struct Failures: RouterMiddleware {
    let site: Site

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is NIOTooManyBytesError {
            return response(request, .contentTooLarge, "That is larger than anything this page sends.")
        } catch let error as HTTPError {
            let text = error.body ?? (error.status == .notFound ? "There is no such page." : "")
            var response = response(request, error.status, text)
            response.headers.append(contentsOf: error.headers)
            return response
        } catch let error as NotOPML {
            return response(request, .badRequest, FailureLine(error, doing: "list").lines.joined(separator: "\n"))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let line = FailureLine(site.composition.located(error), doing: "library")
            return response(request, line.status.http, line.lines.joined(separator: "\n"))
        }
    }

    private func response(_ request: Request, _ status: HTTPResponse.Status, _ text: String) -> Response {
        if request.wantsJSON || request.uri.path.hasPrefix("/api/") || request.uri.path.hasSuffix(".json") {
            let message = (text.isEmpty ? status.reasonPhrase : text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return .json("{\"error\":\"\(message.oneLine)\"}", status: status)
        }
        return site.page(
            "message", title: status.reasonPhrase,
            ["heading": "\(status.code) \(status.reasonPhrase)", "text": text, "next": "/", "nextName": "What is new"],
            status: status)
    }
}

extension ExitStatus {
    /// The closest HTTP status.
    fileprivate var http: HTTPResponse.Status {
        switch self {
        case .usage: .badRequest
        case .notFound: .notFound
        case .unavailable: .badGateway
        case .locked: .serviceUnavailable
        default: .internalServerError
        }
    }
}

/// Responds with 304 if the browser has the current version of a page.
struct Unchanged: RouterMiddleware {
    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        guard request.method == .get, response.status == .ok, let tag = response.headers[.eTag],
            let browserTags = request.headers[.ifNoneMatch], browserTags.contains(tag)
        else { return response }
        var headers = response.headers
        headers[.contentType] = nil
        return Response(status: .notModified, headers: headers)
    }
}
