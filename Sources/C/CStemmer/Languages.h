#pragma once
// The languages whose words have stems: Snowball's name for each, and tables of endings.
//
// `derived` is applied first: endings that form a different word, each with the endings that inflect it. A word that has
// one is not passed to Snowball, which would join organ and organization. `steps` are for languages that Snowball does not
// have, or for endings that it leaves; each step removes one ending.
//
// The lines of a table. The longest ending wins that leaves enough letters (three, or the number that begins the line):
//   ung heit + - en       ung and heit, alone and followed by -en, become ung and heit
//   tor|tric + e i        tore, tori, trice and trici become tor
//   ami ach               are removed
//   cz c > k              become k
#include <stddef.h>

enum { maxSteps = 4 };

typedef struct {
    const char *codes, *snowball, *beginnings, *derived, *steps[maxSteps];
} Language;

static const Language languages[] = {
    { "de", "german", NULL,
      "ung heit keit schaft + - en\n"
      "lich isch + - e en er es em\n"
      "ig + - e en er es em\n"
      "4 erin + - nen\n"
      "4 in|inn + - en\n"
      "ier + - n s en e t st te ten test tet end ende enden ender endes\n",
      { NULL } },
    { "nl", "dutch", NULL,
      "ig lijk baar|bar + - e er ere\n"
      "heid|hed + - en\n"
      "ing + - en\n",
      { "1 pp > p\n1 ll > l\n1 nn > n\n1 mm > m\n1 ss > s\n1 rr > r\n1 ff > f\n1 gg > g\n1 bb > b\n" } },
    { "sv", "swedish", NULL,
      "het + - en er erna ens s\n"
      "ig lig + - t a e\n"
      "skap + - et en er erna\n"
      "else + - n r rna ns\n"
      "ning + - en ar arna ens\n",
      { "4 an\n5 et\n" } },
    { "da", "danish", NULL,
      "hed + - en er erne s ens ernes\n"
      "ig lig + - t e\n"
      "else + - n r rne s ns\n",
      { NULL } },
    { "no nb nn", "norwegian", NULL,
      "het + - en er ene s ens enes\n"
      "ig lig + - t e\n"
      "else + - n r ne s ns\n",
      { NULL } },
    { "fr", "french", NULL,
      "tio sio + n ns\n"
      "ance ence able ible isme iste ant|ante + - s\n"
      "atif|ativ itif|itiv ctif|ctiv ssif|ssiv + - s e es\n"
      "ement ment + - s\n"
      "ité + - s\n"
      "0 noëlle noelle > noelle\n",
      { NULL } },
    { "es", "spanish", NULL,
      "ción|cion sión|sion + - es\n"
      "miento ista ismo able ible ancia encia + - s\n"
      "dor + - es a as\n"
      "os ic iv + o a os as\n"
      "dad + - es\n"
      "mente + -\n",
      { NULL } },
    { "pt", "portuguese", NULL,
      "ção|çõe são|sõe + - s\n"
      "mento ista ismo ância ência + - s\n"
      "dor + - es a as\n"
      "os ic iv + o a os as\n"
      "dade + - s\n"
      "ável|ávei ível|ívei + - s\n"
      "al|ais ol|óis + -\n"
      "mente + -\n",
      { NULL } },
    { "ca", "catalan", NULL,
      "ció|cion sió|sion + - s\n"
      "ment + - s\n"
      "dor + - s a es\n"
      "ista isme able ible + - s\n"
      "itat etat + - s\n"
      "ó|on + - s\n"
      "4 o a es em eu en ar ava aves àvem àveu aven aré aràs arà arem areu aran aria aries aríem aríeu arien és essis éssim éssiu essin "
      "ant at ada ats ades i is in ir ia ies íem íeu ien iré iràs irà irem ireu iran iria iries irien eix eixo eixes eixen eixi eixin it ida its ides int ent ut uda uts udes "
      "er re\n",
      { NULL } },
    { "it", "italian", NULL,
      "zion sion + e i\n"
      "ment + o i\n"
      "tor|tric + e i\n"
      "os iv + o a i e\n"
      "ic|ich + o a i e\n"
      "ist + a i e\n"
      "ism + o i\n"
      "ità mente + -\n"
      "bil + e i\n"
      "anz enz + a e\n"
      "ant ent + e i\n"
      "ier + e i a\n",
      { NULL } },
    { "ro mo", "romanian", NULL,
      "ar er ir + e ea ii i ile ilor\n"
      "tor|toar + - i ul ului ii ilor e ea ei ele elor\n"
      "itat|ităț + e ea i ii ile ilor\n"
      "ți + e a i ii ile ilor\n",
      { "4 at aț\n", "a ă e u i\n" } },
    { "ru", "russian", NULL,
      "ост + ь и ью ей ям ями ях\n"
      "ник + - а у ом е и ов ам ами ах\n"
      "ств + о а у ом е ам ами ах\n"
      "ни + е я ю ем и й ям ями ях\n"
      "н ск + ый ий ой ая яя ое ее ые ие ого его ому ему ым им ую юю ых их ыми ими ою ом ем\n",
      { NULL } },
    { "sr hr bs sh me", "serbian", NULL,
      "ost + - i ima ju u\n"
      "ovi ova ovima ove evi eva evima eve\n",
      { NULL } },
    { "lt", "lithuanian", NULL,
      "išk ing + as a o ai os ą ų am ame us e oje i ams iems omis osioms oms ose uose ius iais\n"
      "uo + ti ja ju jame jate ji siu si s sime site tas ta tą tų tos tus tam\n"
      "toj ėj + as o ui ą u e ai ų ams us ais uose a os ai ei ę es ių oms omis\n",
      { NULL } },
    { "el", "greek", NULL,
      "ισμ + ός ού ό έ οί ών ούς\n"
      "ικ|ίκ + ός ή ό ού ής οί ές ά ών ούς ος η ο ου ης οι ες α ων ους έ ε\n"
      "ι|ί + α ά ας άς ες ές ών ων ο ό ου ού ος ός οι οί ους ούς\n",
      { NULL } },
    { "hy", NULL, NULL, NULL,
      { "ը ն ս դ\n", "ից ով ում ի ու ան ուց ել ալ եց եցի եցիր եցինք եցիք եցին ած ող ելու ացել ել է եմ ես ենք եք են\n", "ներ եր\n" } },
    { "ga", NULL, NULL, NULL,
      { "eanna anna eacha acha aí í e a\n" } },
    { "fi", "finnish", NULL,
      "uus|uude yys|yyde + - n en a ä ssa ssä sta stä lla llä lta ltä lle ksi na nä t in iin een een ta tä ten i ia iä\n"
      "uus|uutta|uuteen|uutena|uuksia|uuksissa|uuksista|uuksille|uuksilla|uuksien yys|yyttä|yyteen|yyksiä|yyksissä|yyksistä|yyksien + -\n"
      "minen|mise|mis|misi inen|ise|is|isi lainen|laise|lais|laisi läinen|läise|läis|läisi + - n en a ä ssa ssä sta stä lla llä lta ltä lle ksi na nä t in iin een een ta tä ten i ia iä\n"
      "us|ukse|uksi ys|ykse|yksi os|okse|oksi ös|ökse|öksi + - n en a ä ssa ssä sta stä lla llä lta ltä lle ksi na nä t in iin een een ta tä ten i ia iä\n"
      "ton|ttoma|ttomi tön|ttömä|ttömi + - n en a ä ssa ssä sta stä lla llä lta ltä lle ksi na nä t in iin een een ta tä ten i ia iä\n",
      { NULL } },
    { "hu", "hungarian", NULL, NULL, { "4 et at ot öt t tt n\n" } },
    { "tr", "turkish", NULL,
      "mak mek amak emek umak ümek ımak imek ıyor ıyorum ıyorsun ıyoruz ıyorsunuz ıyorlar ıyordu ıyordum ıyorduk iyor iyorum iyorsun iyoruz iyorsunuz iyorlar iyordu iyordum iyorduk uyor uyorum uyorsun uyoruz uyorsunuz uyorlar uyordu uyordum uyorduk üyor üyorum üyorsun üyoruz üyorsunuz üyorlar üyordu üyordum üyorduk acak acaklar acaksın acaksınız acaktı ecek ecekler eceksin eceksiniz ecekti acağım acağız eceğim eceğiz yacak yacaklar yacaksın yacaksınız yacaktı yecek yecekler yeceksin yeceksiniz yecekti yacağım yacağız yeceğim yeceğiz dım dık dın dınız dılar dim dik din diniz diler dum duk dun dunuz dular düm dük dün dünüz düler tım tık tın tınız tılar tim tik tin tiniz tiler tum tuk tun tunuz tular tüm tük tün tünüz tüler\n",
      { NULL } },
    { "eu", "basque", NULL, NULL, { NULL } },
    { "ar", "arabic", "4وال 4فال 4بال 4كال", NULL, { NULL } },
    { "hi", "hindi", NULL,
      "1 ्की ्खी ्गी ्घी ्ची ्जी ्टी ्डी ्ती ्थी ्दी ्धी ्नी ्पी ्बी ्भी ्मी ्यी ्री ्ली ्वी ्शी ्सी ्ही + -\n"
      "1 ंकी ंखी ंगी ंघी ंची ंजी ंटी ंडी ंती ंथी ंदी ंधी ंनी ंपी ंबी ंभी ंमी ंयी ंरी ंली ंवी ंशी ंसी ंही + -\n",
      { NULL } },
    { "ne", "nepali", NULL, NULL, { NULL } },
    { "id in", "indonesian", NULL, NULL, { NULL } },
    { "ta", "tamil", NULL, NULL, { NULL } },
    { "yi ji", "yiddish", NULL, NULL, { NULL } },
    { "pl", NULL, NULL,
      "ość|ości + - ą om ami ach\n"
      "ani eni + e a u em\n",
      { "a ą e ę i o u y em ie ia ią ię io iu om iom ów ami iami ach iach owi owie ego iego emu iemu ej iej ym im ymi imi ych ich ją ji "
        "ać ał ała ało ali ały ałem ałam ałeś ałaś am asz amy acie ają aj ajcie ajmy ając ający ająca ające ającego ającą any ana ane ani anych anej anego aną anym ano ań "
        "ić ił iła iło ili iły iłem iłam isz imy icie ij ijcie iony iona ione ionych ionej ioną iono eni ony one ona oną onych onego "
        "yć ył yła yło yli yły yłem yłam ysz ymy ycie yj eć ieć iał iała ieli eje eją ej\n"
        "ować uję ujesz uje ujemy ujecie ują uj ujcie ujmy ował owała owało owali owały owałem owałam owany owana owane owani owanych owanego owaną owanej owanym owanymi owano ując ujący ująca ujące ującą ujących > ow\n"
        "nąć nął nęła nęło nęli ną nie niesz nij nięty nięta nięte nięci nięcie ąć ął ęła ęli\n",
        "ek iek > k\niec ec > c\nrz > r\nci > t\ndzi > d\ni\n" } },
    { "cs", NULL, NULL,
      "ost + - i í em mi ech\n"
      "ov|ův + ý á é ého ému ém ou ým ých ými í\n",
      { "a á e é ě i í o u ů y ý ou em ém ám am om ům ech ách ích ých ami emi ěmi mi ovi ové ího ého ému ímu ým ím ými ími "
        "at al ala alo ali aly áš áme áte ají ej ejme ejte án ána áno ány aná ané aný ání áním ající ajíc "
        "it il ila ilo ili ily íš íme íte en ena eno eni eny ený ená ené ení ením et ět el ěl ela ěla eli ěli elo eme ete eš\n"
        "ovat uji uju uješ uje ujeme ujete ují oval ovala ovalo ovali ovaly ován ována ováno ovány ovaný ovaná ované ování uj ující > ov\n"
        "nout nu neš ne neme nou nul nula nuli\n",
        "ek > k\nec > c\nen > n\net > t\nel > l\ner > r\n" } },
    { "sk", NULL, NULL,
      "osť|ost + - i ou iach\n",
      { "a á e é i í o ó u ú y ý ou om ám am och ách iach iam ami iami mi ovi ovia ého ieho ému iemu ej ým ím ých ích ými ími ie iu ia ie ov "
        "ať al ala alo ali áš áme áte ajú aj ajte aný aná ané anie "
        "iť il ila ilo ili íš íme íte ený ená ené enie enia eť el ela eli\n"
        "ovať ujem uješ uje ujeme ujete ujú oval ovala ovalo ovali ovaný ovaná ované ovanie uj > ov\n",
        "ok ek > k\nec > c\nen > n\n" } },
    { "sl", NULL, NULL,
      "ost + - i jo ih im mi\n",
      { "a e i o u om em ema oma ama ami ih im imi ega emu ah eh ja je ji jo "
        "ati am aš amo ate ajo al ala alo ali ale anje anja aj ajte "
        "iti iš imo ite ijo il ila ilo ili ile enje enja\n"
        "ovati ujem uješ uje ujemo ujejo oval ovala ovali ovan > ov\n",
        "ek > k\nec > c\nen > n\n" } },
    { "uk", NULL, NULL,
      "ість|ост + - і ю ей ям ями ях\n"
      "ськ цьк + ий а е і ого ому им их ими ою ої ій у\n"
      "ник + - а у ом и ів ам ами ах ові\n",
      { "а у ю я ь ом ем єм і ї и ів їв ам ям ами ями ах ях ові еві єві ою ею єю ії ія ію ією ій ей о е є "
        "ий ого ому им их ими ої ої ую "
        "ати ав ала ало али аю аєш ає аємо аєте ають ай айте аний ана ане ані ання "
        "яти яв яла яло яли яю яєш яє яємо яєте яють "
        "ити ив ила ило или иш ить имо ите ать ять ений ена ене ені ення іти ів іла іли\n"
        "увати ую уєш ує уємо уєте ують ував увала увало ували уй уйте ування уваний > ув\n",
        "ок > к\nець ец > ц\nен > н\nнн > н\nй\n" } },
    { "be", NULL, NULL,
      "асць|асц|асьц + - і ю ей ям ямі ях\n"
      "ск цк + і ая ае ія ага аму ім іх імі ай ую\n",
      { "а у ю я ь ом ам ём ем ы і аў яў оў ёў ам ям амі ямі ах ях ой ай ою аю ей яй е э о "
        "ага яга аму яму ым ім ых іх ымі імі ая яя ую юю ае яе ыя ія ога ому "
        "аць аў ала ало алі аеш ае аем аеце аюць ай айце аны анне ання "
        "яю яе "
        "іць іў іла ілі іш ім іце яць ены енне ыць ыў ыла ылі ыш ыце ець еў ела елі\n"
        "яеш яем яюць яць яў яла ялі > я\n"
        "аваць ую уеш уе уем уеце уюць аваў авала авалі уй аванне > ав\n",
        "ок ак > к\nец > ц\nнн > н\nй\n" } },
    { "bg", NULL, NULL,
      "ост + - та и ите\n"
      "ск + и а о ата ото ите ия ият\n"
      "ник + - а ът ци ците\n"
      "ув|юв яв ав + ам аш а аме ате ат ах аха аше ал ала ало али ан ана ано ани ай айте ане ащ\n",
      { "а та ат ът ята ят я ия ият о то е ето и ите ове овете ища ищата ове ата ото ето ие ието ия ията ии иите "
        "ам аш аме ате ах аха ахме ахте ал ала ало али ан ана ано ани ай айте ащ ащи айки "
        "иш им ят их иха ихме ихте ил ила ило или ейки "
        "еш ем ете ех еха ехме ел ела ели аше еше "
        "я яш яме яте яха ял яла яло яли ян яна яни "
        "нах наха нал нала нали неш нем нат\n",
        "ен ън > н\nък > к\nец > ц\nй\n" } },
    { "mk", NULL, NULL,
      "ост + - а и та ите\n"
      "ск + и а о иот ата ото ите\n"
      "ув + а ам аш аме ате аат ав авме авте аше аа ал ала але ан ана ани ање ај ајќи\n",
      { "а та ата ва на от ов он о то ото ова оно е ето и ите иве ине ови овите иња ињата иот ија ијата ии иите "
        "ам аш аме ате аат ав авме авте аа ал ала ало але ан ана ано ани аше ај ајте ајќи ње њето ања "
        "ам иш име ите ат ев евме евте еа ел ела ело еле ил ила ило иле еше ејќи ење "
        "не нам неш нат нав нал нала нале\n",
        "ен > н\nок ек > к\nец > ц\nј\n" } },
    { "lv", NULL, NULL,
      "šan + a as u ai ām ās\n"
      "īb|īb + a as u ai ām ās\n"
      "isk + s a ais ā as ie os ajā ajam o ajiem i u am\n"
      "nie|niek|niec + ks s a a am u ā i iem us os e es ei\n",
      { "s š is us a e am ai em ei im um u i ā ē ī ū os as es ām ēm iem ās ēs īm is ie o ais ajam ajā ajai ajiem ajām ajos ajās ajs "
        "āt āju ā ājam ājat āja āji āšu ās āja ājis ājusi ājot "
        "ēt ēju ē ējam ējat ēja ēji ēšu ēs ējis ējusi ējot "
        "īt īju ī ījam ījat īja īji īšu īs ījis ījusi ījot "
        "ot oju o ojam ojat oja oji ošu os ojis ojusi ojot t\n",
        "j\nš > s\nž > z\nč > c\nļ > l\nņ > n\nšņ > sn\nšķ > sk\n" } },
    { "et", NULL, NULL,
      "us|use + - t le lt l s st ni na ta ga sse ks d te tele\n"
      "mi|mise + ne t st s le lt l ks ni ta ga\n"
      "li|lise + ne t st s le lt l ks ni ta ga d te\n",
      { "de te le l ni sse i a e u id des test del dele delt deks desse dest dega teni tes tel tele teks tega "
        "ma da me vad nud ti di s sin sid sime site is isid is ks v tav dav es mata\n"
        "4 st lt ks na ta ga s d b\n",
        "a e i o u\n" } },
    { "is", NULL, NULL,
      "leg|lega + - ur t an ri rar um a ir ar u\n"
      "ing|ingu|ung|ungu + - in ar ir um a una unni arinnar\n",
      { "ur ar ir s i um a u inn ins inum inu ið in ina innar inni inum anna una unni unum nar na num num arnir ana irnar irnir urnar arinnar "
        "ir ið um ar aði aðir aðu uðu uðum að aður uð andi "
        "di ði ti du ðu tu dum ðum tum ður dur ri rar stur st asta\n",
        NULL } },
    { "ka", NULL, NULL, NULL,
      { "ც\n", "ი მა მ ს ის ით ად ო ზე ში თან დან თვის ისთვის იდან სთან\n", "ებ\n4 ნ\n" } },
    { "fa", NULL, NULL, NULL, { "ها های هایی هایم هایت هایش هایمان هایشان\n" } },
    { "he", NULL, "ה 4ו 4ב 4ל 4מ 4ש 4כ וה שה לה",
      NULL,
      { "ים ות יים תי נו תם תן ית ה ת ו יו יה יך ך ותי ותיו ותיה ותינו כם הם\n", "ם > מ\nן > נ\nץ > צ\nף > פ\nך > כ\n" } },
};
